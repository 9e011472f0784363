import Glibc

/// One run of a service under load.
final class ServiceRun {
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
protocol RepeatedRuns: AnyObject {
  var ledger: Ledger { get set }
  /// Whether all events have been delivered.
  var isEverythingDelivered: Bool { get }
  /// The descriptors from which deliveries are read, besides the service's output.
  var inlets: [Int32] { get }

  /// Starts a run of the service.
  ///
  /// - Parameter moment: the planned end; nil to end when all work is done.
  func begin(_ moment: Moment?) throws -> ServiceRun
  /// Opens the connections that report events.
  func connect(_ run: ServiceRun) throws
  /// The next events to report over a connection.
  func nextEvents() -> [Int]
  /// Records the deliveries received so far.
  func recordDeliveries(of run: ServiceRun) throws
  /// Records the remaining output of a service that has ended.
  func recordRemainingOutput(_ run: ServiceRun) throws
}

extension RepeatedRuns {
  /// Runs a service until a moment, and then sends a signal.
  ///
  /// - Returns: how the service ended.
  func run(until moment: Moment, ending signal: Int32 = SIGKILL) throws -> ChildProcess.Ending {
    let run = try begin(moment)
    while !moment.isReached(run.counts) {
      if run.senders.isEmpty && run.service.isReady { try connect(run) }
      for sender in run.senders where sender.isIdle { sender.begin(nextEvents(), &ledger) }
      try advance(run)
    }
    run.service.process.send(signal)
    return try end(run)
  }

  /// Runs a service until it has answered and delivered every event, or until nothing happens for
  /// `Poll.timeout`. Then stops it.
  func finishAllWork() throws -> ChildProcess.Ending {
    let run = try begin(nil)
    try run.service.waitUntilReady()
    try connect(run)
    while !ledger.isEverythingAnswered || !isEverythingDelivered {
      for sender in run.senders where sender.isIdle {
        let numbers = (0..<100).compactMap { _ in ledger.takeUnanswered() }
        if !numbers.isEmpty { sender.begin(numbers, &ledger) }
      }
      do {
        try advance(run)
      } catch is Poll.NothingHappened {
        break
      }
    }
    run.service.process.send(SIGTERM)
    return try end(run)
  }

  /// Exchanges data once, and counts what has happened.
  private func advance(_ run: ServiceRun) throws {
    try exchange(run, others: [run.watch.descriptor])
    run.watch.read()
    run.counts.changes = run.watch.count
    run.counts.isReady = run.service.isReady
    if run.service.hasEnded { throw Failure("the service has ended:\n\(run.service.log)") }
  }

  /// Sends a part of each pending request, waits for output, and records it.
  private func exchange(_ run: ServiceRun, others: [Int32] = []) throws {
    for sender in run.senders { run.counts.bytesSent += sender.connection.send(upTo: 4_096) }
    try run.service.readOutput(run.senders.map(\.connection), others: others + inlets)
    for sender in run.senders { run.counts.acknowledgements += try sender.receive(&ledger) }
    try recordDeliveries(of: run)
  }

  /// Sends the rest of each started request, and records all output until the service ends.
  private func end(_ run: ServiceRun) throws -> ChildProcess.Ending {
    while !run.service.hasEnded { try exchange(run) }
    for sender in run.senders {
      while !sender.connection.isClosed { _ = try sender.receive(&ledger) }
      sender.giveUp(&ledger)
    }
    try recordRemainingOutput(run)
    return try run.service.process.finish()
  }
}
