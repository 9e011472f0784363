import Glibc

/// One run of a service under load.
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

/// Runs a service many times on one state directory, and records all its output in a ledger.
protocol Besieger: AnyObject {
  var ledger: Ledger { get set }
  /// Whether all acknowledged events have been delivered.
  var isEverythingDelivered: Bool { get }
  /// Additional descriptors that carry deliveries.
  var inlets: [Int32] { get }

  /// - Parameter moment: the planned end; nil to end when all work is done.
  func begin(_ moment: Moment?) throws -> Life
  /// Opens the connections that report events.
  func connect(_ life: Life) throws
  /// The next events to report over a connection.
  func someEvents() -> [Int]
  /// Records the deliveries received so far.
  func enterDeliveries(of life: Life) throws
  /// Records the remaining output of a service that has ended.
  func conclude(_ life: Life) throws
}

extension Besieger {
  /// Runs a service until a moment, and then sends a signal.
  ///
  /// - Returns: how the service ended.
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

  /// Runs a service until it has answered every event and delivered everything, or is idle, and
  /// then stops it.
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

  /// Sends a part of the pending requests, waits for output, and records it.
  private func exchange(_ life: Life, others: [Int32] = []) throws {
    for sender in life.senders { life.counts.bytesSent += sender.connection.send(upTo: 4_096) }
    try life.service.turn(life.senders.map(\.connection), others: others + inlets)
    for sender in life.senders { life.counts.acknowledgements += try sender.receive(&ledger) }
    try enterDeliveries(of: life)
  }

  /// Sends the rest of a started request, and reads all output until the service ends.
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
