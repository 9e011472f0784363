import Glibc

/// One life of a service under load.
final class Life {
  let service: Service
  let watch: FileWatch
  var senders: [Sender] = []
  var counts = Moment.Counts()

  init(_ service: Service, _ watch: FileWatch) {
    self.service = service
    self.watch = watch
  }
}

/// Lets a service live again and again on one state directory, and keeps a ledger of all it says.
protocol Besieger: AnyObject {
  var ledger: Ledger { get set }
  /// Whether what was acknowledged has been delivered.
  var isEverythingDelivered: Bool { get }
  /// Further descriptors by which deliveries come.
  var inlets: [Int32] { get }

  /// - Parameter moment: when it is to end; nil when all is done.
  func begin(_ moment: Moment?) throws -> Life
  /// Opens the connections over which events are reported.
  func connect(_ life: Life) throws
  /// What is reported next over a connection.
  func someEvents() -> [Int]
  /// Enters the deliveries that have come.
  func enterDeliveries(of life: Life) throws
  /// Enters what is left to be entered of a service that has said all.
  func conclude(_ life: Life) throws
}

extension Besieger {
  /// Lets a service live until a moment, and then sends it a signal.
  ///
  /// - Returns: how it ended.
  func live(until moment: Moment, ending signal: Int32 = SIGKILL) throws -> ChildProcess.Ending {
    let life = try begin(moment)
    while !moment.isReached(life.counts) {
      if life.senders.isEmpty && life.service.isReady { try connect(life) }
      for sender in life.senders where sender.isIdle { sender.begin(someEvents(), &ledger) }
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
    while !ledger.isEverythingAnswered || !isEverythingDelivered {
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
    try life.service.turn(life.senders.map(\.connection), others: others + inlets)
    for sender in life.senders { life.counts.acknowledgements += try sender.receive(&ledger) }
    try enterDeliveries(of: life)
  }

  /// Sends the rest of what was begun and reads all that the service says before it ends.
  private func end(_ life: Life) throws -> ChildProcess.Ending {
    while !life.service.hasEnded { try exchange(life) }
    for sender in life.senders {
      while !sender.connection.isClosed { _ = try sender.receive(&ledger) }
      sender.giveUp(&ledger)
    }
    try conclude(life)
    return try life.service.process.finish()
  }
}
