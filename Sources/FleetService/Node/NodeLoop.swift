import CivilTime
import Engine
import Fleet
import PostgresStore
import Store
import Synchronization
import Systemd

/// Drives a `FleetNode`: passes inputs to it and performs its actions. The loop waits only for the
/// server's answers to the membership's statements, each of which has a timeout. So heartbeats
/// never wait for an engine that opens, acquires shards or ends.
///
/// Not thread-safe.
final class NodeLoop {
  /// The longest pause before the next attempt to connect.
  private static let pauseMax = TimeSpan.seconds(2)

  let setup: NodeSetup
  private let environment: any NodeEnvironment
  let mailbox: NodeMailbox
  let state: NodeState
  private let reporter: NodeReporter
  var node: FleetNode
  /// The connection of the current incarnation; nil while there is none.
  private var membership: (any NodeMembership)?
  /// The next statement to send.
  private var statement: FleetStatement?
  /// The time since boot at which to connect; nil if there is no need to connect.
  private var connectionDue: TimeSpan?
  /// The number of consecutive failures to connect, to join or to open an engine.
  private var failures = 0
  /// How many nodes this one has evicted since the start of the process.
  private var evictions: [EvictionReason: Int] = [:]
  var supervisor: EngineSupervisor
  /// Whether the node has ended.
  private var isFinished = false

  init(
    _ setup: NodeSetup, _ environment: any NodeEnvironment, _ mailbox: NodeMailbox,
    _ service: CurrentService, _ state: NodeState, _ reporter: NodeReporter
  ) {
    (self.setup, self.environment, self.mailbox) = (setup, environment, mailbox)
    (self.state, self.reporter) = (state, reporter)
    node = FleetNode(name: setup.name, address: setup.address, setup.times)
    supervisor = EngineSupervisor(setup, environment, mailbox, service, state)
  }

  private var moment: Moment { environment.moment }

  func run() {
    perform(node.begin())
    while !isFinished {
      if let statement {
        self.statement = nil
        perform(carryOut(statement))
      }
      for event in environment.take(within: idleSpan) {
        if isFinished { refuse(event) } else { react(to: event) }
      }
      if statement == nil { perform(node.tick(at: moment)) }
      supervisor.setServerReading(node.serverReading)
      connectIfDue()
      supervisor.retryIfDue(at: moment.sinceBoot)
      state.snapshot.withLock { $0 = snapshot }
    }
    membership = nil
    for event in environment.take(within: .zero) { refuse(event) }
    state.served.reach()
    state.ended.reach()
  }

  private var snapshot: NodeSnapshot {
    NodeSnapshot(
      incarnation: node.incarnation, view: node.view, skew: node.skew, isDraining: node.isDraining,
      evictions: evictions)
  }

  /// How long the loop may wait for an event; nil for no limit.
  private var idleSpan: TimeSpan? {
    guard statement == nil else { return .zero }
    let wake = [node.wake, connectionDue, supervisor.nextRetry].compactMap(\.self).min()
    return wake.map { max(.zero, $0 - moment.sinceBoot) }
  }

  // MARK: - Events

  private func react(to event: NodeEvent) {
    switch event {
    case .connected(let link): use(link.membership)
    case .unconnected(let error): connectionFailed(error)
    case .opened(let incarnation, let result): engineOpened(as: incarnation, result)
    case .acquired(let incarnation, let shards):
      supervisor.recordAcquired(shards, as: incarnation)
    case .released(let incarnation, let tenure, let isDone):
      guard incarnation == node.incarnation else { return }
      guard isDone else { return supervisor.releaseLater(tenure) }
      perform(node.engineReleased(tenure, at: moment))
    case .failed(let incarnation, let failure): engineFailed(as: incarnation, failure)
    case .ended(let incarnation):
      guard incarnation == node.incarnation else { return }
      perform(node.engineEnded(at: moment))
    case .adopt(let configuration, let answer): supervisor.adopt(configuration, answer)
    case .adopted(let incarnation, let configuration, let result, let answer):
      supervisor.recordAdopted(configuration, by: incarnation, result, answer)
    case .stop: perform(node.stop())
    case .watchdogCheck(let progress): progress.idle(until: nil)
    }
  }

  /// Answers an event that arrived after the node's end.
  private func refuse(_ event: NodeEvent) {
    switch event {
    case .adopt(_, let answer): answer(.failure(CurrentService.absent))
    case .adopted(_, _, let result, let answer): answer(result)
    default: break
    }
  }

  private func use(_ membership: any NodeMembership) {
    self.membership = membership
    perform(node.connected(as: membership.incarnation))
  }

  private func connectionFailed(_ error: any Error) {
    guard supervisor.hasServed || isTransient(error) else { return end(for: error) }
    countFailure("\(error)")
    perform(node.unreachable())
  }

  private func countFailure(_ reason: String) {
    failures += 1
    reporter.reportUnreachable(reason)
    setup.whenUnreachable(failures, reason)
  }

  private func isTransient(_ error: any Error) -> Bool {
    if case .unreachable? = error as? StoreError { true } else { false }
  }

  private func engineOpened(
    as incarnation: Incarnation, _ result: Result<any NodeEngine, any Error>
  ) {
    if case .failure(let error) = result, incarnation == node.incarnation {
      failures += 1
      if supervisor.isHopeless(error) { return end(for: error) }
      reporter.reportUnreachable("\(error)")
      return perform(node.engineFailed())
    }
    guard supervisor.makeCurrent(result, as: incarnation) else { return }
    failures = 0
    reporter.reportServing()
    state.served.reach()
  }

  private func engineFailed(as incarnation: Incarnation, _ failure: StoreFailure) {
    guard incarnation == node.incarnation else { return }
    guard !failure.isDamage else { return end(for: failure) }
    perform(node.engineFailed())
  }

  /// Ends the node and thereby the process, because another incarnation would fail in the same way.
  private func end(for error: any Error) {
    supervisor.discard()
    state.served.reach(error)
    state.ended.reach(error)
    isFinished = true
  }

  // MARK: - Actions

  private func perform(_ actions: [FleetAction]) {
    for action in actions { perform(action) }
  }

  private func perform(_ action: FleetAction) {
    switch action {
    case .connect(let span): connectionDue = moment.sinceBoot + max(span, pause)
    case .send(let statement): self.statement = statement
    case .serve(let incarnation): supervisor.open(as: incarnation)
    case .trust(let trust): supervisor.trust(until: trust.end)
    case .acquire(let tenures): supervisor.acquire(tenures)
    case .release(let tenure): supervisor.release(tenure)
    case .discard:
      supervisor.discard()
      (membership, statement) = (nil, nil)
    case .end: supervisor.end()
    case .finish: isFinished = true
    case .note(let note):
      if case .evicted(_, let reason) = note { evictions[reason, default: 0] += 1 }
      reporter.report(note)
    }
  }

  /// The pause before the next attempt to connect: zero after at most one failure, then longer each
  /// time, up to `pauseMax`.
  private var pause: TimeSpan {
    guard failures > 1 else { return .zero }
    let pause = setup.times.retry.milliseconds << Int64(min(failures, 8))
    return min(TimeSpan(milliseconds: pause), Self.pauseMax)
  }

  private func carryOut(_ statement: FleetStatement) -> [FleetAction] {
    guard let membership else { return [] }
    let start = moment
    switch membership.carryOut(statement) {
    case .answered(let answer): return node.answered(answer, from: start, to: moment)
    case .refused(let reason):
      if case .join = statement { countFailure(reason) }
      return node.refused(at: moment)
    case .lost: return node.lost()
    case .silent: return node.lost(.serverSilent)
    case .pooled: return node.lost(.pooled)
    }
  }

  /// Begins an attempt to connect if one is due. The attempt may take long, so it runs on another
  /// thread.
  private func connectIfDue() {
    guard let due = connectionDue, due <= moment.sinceBoot else { return }
    connectionDue = nil
    environment.connect()
  }
}
