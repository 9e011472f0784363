package import Engine
import Outbox
import Synchronization
package import Systemd

/// A node of a fleet as the rest of the process knows it: what it serves, and how it is told to
/// take another configuration, and to end. A thread of its own does all else.
package final class NodeShell: Sendable {
  /// What answers those who talk to the node, whichever engine is behind it.
  package let service: ServiceInForce
  private let mailbox: NodeMailbox
  private let state: NodeState
  private let setup: NodeSetup
  private let journal: Journal
  private let board: StatusBoard
  private let heartbeats: Heartbeats

  /// It is no node until it begins.
  package init(
    _ setup: NodeSetup, journal: Journal, board: StatusBoard, heartbeats: Heartbeats
  ) throws(SystemCallError) {
    mailbox = try NodeMailbox()
    service = ServiceInForce(planner: setup.engine.planner, tokens: setup.engine.tokens)
    state = NodeState(sinks: setup.engine.sinks)
    (self.setup, self.journal, self.board, self.heartbeats) = (setup, journal, board, heartbeats)
  }

  /// How it stands.
  package var snapshot: NodeSnapshot { state.snapshot.withLock(\.self) }

  /// Starts the thread. Returns when an engine is in force for the first time, or when the node has
  /// ended before.
  ///
  /// - Throws: why it never will be.
  package func begin() async throws {
    heartbeats.register("fleet", at: .now) { [mailbox] in mailbox.post(.isThere($0)) }
    try OperatingSystemThread(name: "fleet") { [mailbox, service, state, setup, journal, board] in
      let reporter = NodeReporter(name: setup.name, journal: journal, board: board)
      let surroundings = RealSurroundings(
        database: setup.database, times: setup.times, mailbox: mailbox)
      NodeLoop(setup, surroundings, mailbox, service, state, reporter).run()
    }.detach()
    if let error = await state.served.wait() { throw error }
  }

  /// Takes another configuration into use, for this engine and those to come.
  ///
  /// - Throws: why nothing has changed.
  package func adopt(_ configuration: RuntimeConfiguration) async throws(ServiceUnavailable) {
    let result = await withCheckedContinuation { continuation in
      mailbox.post(.adopt(configuration) { continuation.resume(returning: $0) })
    }
    try result.get()
  }

  /// Ends the engine in order, gives everything to others, and ends the node.
  package func stop() async {
    mailbox.post(.stop)
    _ = await end()
  }

  /// Returns when the node has ended: nil after `stop`, else why it cannot go on.
  package func end() async -> (any Error)? { await state.ended.wait() }

  /// Ends the sinks, once nothing is handed to them any more.
  package func stopSinks() async {
    let sinks = state.sinks.withLock(\.self)
    let ends = sinks.map { sink in Task { await sink.stop() } }
    for end in ends { await end.value }
  }
}

/// What a node's thread lets others see.
final class NodeState: Sendable {
  let snapshot = Mutex(NodeSnapshot())
  /// An engine is in force.
  let served = Milestone()
  let ended = Milestone()
  /// What engines have by now.
  let sinks: Mutex<[any Sink]>

  init(sinks: [any Sink]) {
    self.sinks = Mutex(sinks)
  }
}
