import CivilTime
import Glibc

/// One state directory through many lives of the service, under load in each.
final class Siege {
  let workspace: Workspace
  private(set) var ledger = Ledger()
  private var random: SplitMix64
  private var fileOffset = 0

  init(seed: UInt64) throws {
    workspace = try Workspace()
    random = SplitMix64(seed: seed)
  }

  /// Lets a service live until a moment, and then sends it a signal.
  ///
  /// - Returns: how it ended.
  func live(until moment: Moment, ending signal: Int32 = SIGKILL) throws -> ChildProcess.Ending {
    let life = try begin(moment)
    while !moment.isReached(life.counts) {
      if life.senders.isEmpty && life.service.isReady { try connect(life) }
      for sender in life.senders where sender.isIdle {
        sender.begin(someEvents(), &ledger)
      }
      try turn(life)
    }
    life.service.process.send(signal)
    return try end(life)
  }

  /// Lets a service live until it has answered for every event and delivered all of them, or does
  /// nothing any more, and then stops it.
  func settle() throws -> ChildProcess.Ending {
    let life = try begin(nil)
    try life.service.waitUntilReady()
    try connect(life)
    while !ledger.isEverythingAnswered || !ledger.isEverythingDelivered {
      for sender in life.senders where sender.isIdle {
        let numbers = (0..<100).compactMap { _ in ledger.takeUnanswered() }
        if !numbers.isEmpty { sender.begin(numbers, &ledger) }
      }
      do {
        try turn(life)
      } catch is Poll.NothingHappened {
        break
      }
    }
    life.service.process.send(SIGTERM)
    return try end(life)
  }

  // MARK: - One life

  private final class Life {
    let service: Service
    let watch: FileWatch
    var senders: [Sender] = []
    var counts = Moment.Counts()

    init(_ service: Service, _ watch: FileWatch) {
      self.service = service
      self.watch = watch
    }
  }

  /// A moment that is known by its deliveries needs them on a pipe.
  private func begin(_ moment: Moment?) throws -> Life {
    ledger.beginLife()
    let isFile: Bool
    switch moment {
    case nil, .deliveries: isFile = false
    default: isFile = Bool.random(using: &random)
    }
    let watch = try FileWatch(workspace.state)
    return Life(try Service(workspace, sink: isFile ? .file : .output), watch)
  }

  /// Opens connections, and asks over one whether the service still knows what it acknowledged.
  private func connect(_ life: Life) throws {
    life.senders = try (0..<4).map { _ in try Sender(to: workspace.socket) }
    let known = (0..<8).compactMap { _ in
      ledger.acknowledged(at: .random(in: 0..<1_000_000, using: &random))
    }
    if !known.isEmpty { life.senders[0].begin(Array(Set(known)), &ledger) }
  }

  /// One event or many, some of them such as were sent before without an answer.
  private func someEvents() -> [Int] {
    let isBatch = Int.random(in: 0..<5, using: &random) < 2
    let count = isBatch ? Int.random(in: 2...100, using: &random) : 1
    return (0..<count).map { _ in
      if Bool.random(using: &random), let number = ledger.takeUnanswered() { return number }
      // Due at once, or in a second by the wheel.
      let time = Report.now - .seconds(.random(in: 0...1, using: &random))
      return ledger.compose { Report.milestone("e\($0)", of: "r\($0)", at: time) }
    }
  }

  private func turn(_ life: Life) throws {
    try exchange(life, others: [life.watch.descriptor])
    life.watch.read()
    life.counts.changes = life.watch.count
    life.counts.isReady = life.service.isReady
    if life.service.hasEnded { throw Failure("the service has ended:\n\(life.service.log)") }
  }

  /// Sends a part of what is to be sent, waits until something has come back, and enters it.
  private func exchange(_ life: Life, others: [Int32] = []) throws {
    for sender in life.senders { life.counts.bytesSent += sender.connection.send(upTo: 4_096) }
    try life.service.turn(life.senders.map(\.connection), others: others)
    for sender in life.senders { life.counts.acknowledgements += try sender.receive(&ledger) }
    for line in life.service.process.output.takeLines() {
      ledger.deliver(line)
      life.counts.deliveries += 1
    }
  }

  /// Sends the rest of what was begun and reads all that the service says before it ends.
  private func end(_ life: Life) throws -> ChildProcess.Ending {
    while !life.service.hasEnded { try exchange(life) }
    for sender in life.senders {
      while !sender.connection.isClosed { _ = try sender.receive(&ledger) }
      sender.giveUp(&ledger)
    }
    if !life.service.process.output.take().isEmpty { ledger.cutLines += 1 }
    try readFile()
    return try life.service.process.finish()
  }

  /// Reads what has been added to the file of deliveries; a line that is cut off waits to be ended
  /// by the next life.
  private func readFile() throws {
    guard Files.names(in: workspace.path).contains("deliveries") else { return }
    let added = try Files.read(workspace.deliveries).dropFirst(fileOffset)
    guard let last = added.lastIndex(of: UInt8(ascii: "\n")) else { return }
    fileOffset = last + 1
    for line in added[...last].split(separator: UInt8(ascii: "\n")) { ledger.deliver(line) }
  }
}
