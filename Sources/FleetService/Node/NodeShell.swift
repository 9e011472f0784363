package import Engine
import Outbox
import Synchronization
package import Systemd

/// A node of a fleet, as the rest of the process uses it: to serve, to change the configuration,
/// and to stop. The node's own thread does everything else.
package final class NodeShell: Sendable {
  /// Forwards clients' requests to the node's current engine.
  package let service: CurrentService
  private let mailbox: NodeMailbox
  private let state: NodeState
  private let setup: NodeSetup
  private let journal: Journal
  private let board: StatusBoard
  private let heartbeats: Heartbeats

  /// Prepares a node, which starts with `begin`.
  package init(
    _ setup: NodeSetup, journal: Journal, board: StatusBoard, heartbeats: Heartbeats
  ) throws(SystemCallError) {
    mailbox = try NodeMailbox()
    service = CurrentService(planner: setup.engine.planner, tokens: setup.engine.tokens)
    state = NodeState(sinks: setup.engine.sinks)
    (self.setup, self.journal, self.board, self.heartbeats) = (setup, journal, board, heartbeats)
  }

  /// The current state.
  package var snapshot: NodeSnapshot { state.snapshot.withLock(\.self) }

  /// Starts the thread. Returns when an engine serves for the first time, or when the node has
  /// ended before that.
  ///
  /// - Throws: the error that prevents any engine from serving.
  package func begin() async throws {
    heartbeats.register("fleet", at: .now) { [mailbox] in mailbox.post(.watchdogCheck($0)) }
    try OperatingSystemThread(name: "fleet") { [mailbox, service, state, setup, journal, board] in
      let reporter = NodeReporter(name: setup.name, journal: journal, board: board)
      let environment = RealEnvironment(
        database: setup.database, times: setup.times, mailbox: mailbox)
      NodeLoop(setup, environment, mailbox, service, state, reporter).run()
    }.detach()
    if let error = await state.served.wait() { throw error }
  }

  /// Uses another configuration for this engine and later ones.
  ///
  /// - Throws: the reason if the configuration is not used; then nothing has changed.
  package func adopt(_ configuration: RuntimeConfiguration) async throws(ServiceUnavailable) {
    let result = await withCheckedContinuation { continuation in
      mailbox.post(.adopt(configuration) { continuation.resume(returning: $0) })
    }
    try result.get()
  }

  /// Stops the engine gracefully, frees all shards, and ends the node.
  package func stop() async {
    mailbox.post(.stop)
    _ = await end()
  }

  /// Returns when the node has ended: nil after `stop`, otherwise the error that ended it.
  package func end() async -> (any Error)? { await state.ended.wait() }

  /// Stops the sinks. Call this after the last dispatch to them.
  package func stopSinks() async {
    let sinks = state.sinks.withLock(\.self)
    let ends = sinks.map { sink in Task { await sink.stop() } }
    for end in ends { await end.value }
  }
}

/// The state that a node's thread shows to other threads.
final class NodeState: Sendable {
  let snapshot = Mutex(NodeSnapshot())
  /// Reached when an engine serves for the first time, or when the node ends before that.
  let served = Milestone()
  /// Reached when the node has ended.
  let ended = Milestone()
  /// The sinks of the latest configuration.
  let sinks: Mutex<[any Sink]>

  init(sinks: [any Sink]) {
    self.sinks = Mutex(sinks)
  }
}
