import CivilTime
import Outbox
import Reminders
import Store

/// The engine's sinks and lanes, which are the sinks' queues. Reads what the `Dispatcher` needs,
/// and writes and applies its decisions.
final class EngineOutbox {
  let store: any Store
  let shards: OwnedShards
  let actions: any EngineActions
  let published: PublishedView
  /// The configuration since the start or the last reload.
  var configuration: RuntimeConfiguration
  /// The lanes with their deliveries; only this type changes them.
  var dispatcher = Dispatcher()
  /// The sinks by lane number.
  var sinks: [Int: any Sink] = [:]
  /// The observers of tests in flight, by the numbers of the notifications.
  var testObservers: [Int64: TestObserver] = [:]
  /// Whether the stop of the service is recorded in the store.
  var isStopRecorded = false

  init(
    _ configuration: RuntimeConfiguration, store: any Store, shards: OwnedShards,
    actions: any EngineActions, published: PublishedView
  ) {
    self.configuration = configuration
    self.store = store
    self.shards = shards
    self.actions = actions
    self.published = published
  }

  // MARK: - Within a cycle

  /// Sorts the deliveries of an engine cycle by lane. Records in the cycle's transaction which of
  /// them will be in flight afterwards.
  ///
  /// - Parameter maySend: whether anything may be dispatched, provided that this node may act.
  func recordDispatches(_ turn: inout Turn, maySend: Bool) throws {
    turn.effects.outbox.offers = dispatcher.offers(
      of: turn.effects.outbox.deliveries, answered: turn.effects.outbox.answered,
      nextRetries: try turn.transaction.nextRetries(of: dispatcher.sinks),
      isDispatching: maySend && shards.mayAct && !turn.effects.outbox.hasEmptiedTexts,
      paused: turn.effects.outbox.pausedSinks ?? dispatcher.paused, now: turn.now)
    try turn.transaction.save(turn.effects.outbox.offers.compactMap(\.progress))
  }

  /// Applies the committed effects of a cycle.
  func conclude(_ effects: DeliveryEffects, of work: TurnWork) {
    dispatcher.apply(effects.offers, through: effects.lastNotification)
    if effects.hasEmptiedTexts { dispatcher.recheckGates() }
    concludePauses(effects)
    offerAnalytics(after: effects, of: work)
  }

  // MARK: - Answers

  /// Applies the recorded answers to a batch.
  func conclude(_ batch: AnsweredBatch, now: Instant) {
    if let closed = dispatcher.conclude(batch, now: now) { close(lane: closed) }
  }

  /// Applies a recorded outage of a lane's sink.
  ///
  /// - Parameter redirected: how many deliveries at the start of the lane's queue became retries.
  func fail(lane: Int, _ outage: SinkOutage, redirected: Int, now: Instant) {
    let closed = dispatcher.fail(lane, outage, redirected: redirected, now: now)
    if let closed { close(lane: closed) }
  }

  /// Applies a recorded outage of a lane's sink for the stragglers with this number. Stragglers are
  /// deliveries of an earlier batch for which the lane does not wait.
  func failStragglers(_ stragglersNumber: Int, lane: Int, _ outage: SinkOutage, now: Instant) {
    let closed = dispatcher.failStragglers(stragglersNumber, of: lane, outage, now: now)
    if let closed { close(lane: closed) }
  }

  // MARK: - Changes outside of a cycle

  /// Removes the waiting deliveries to an erased recipient.
  func forget(_ row: UInt32) { dispatcher.forget(row) }

  /// Removes the waiting deliveries to recipients of other nodes.
  func forget(_ rows: Set<UInt32>) { dispatcher.forget(rows) }

  /// Leaves shards to another node, with the recipients of these rows.
  func release(shards: Set<Int>, rows: Set<UInt32>) {
    forget(rows)
    if shards.contains(Self.analyticsShard) { dispatcher.stopAnalytics() }
  }

  /// Continues the deliveries of shards that come from another node.
  func acquire(_ orphans: Orphans, nextRetries: [String: Instant]) {
    dispatcher.acquire(orphans, nextRetries: nextRetries)
  }

  /// Sets when the next retry of each sink is due; sinks without retries are missing.
  func setNextRetries(_ instants: [String: Instant]) { dispatcher.setNextRetries(instants) }

  func clockWasSetBack(to now: Instant) { dispatcher.clockWasSetBack(to: now) }

  // MARK: - Writing

  /// Writes effects of the outbox within a cycle.
  func write(_ effects: OutboxEffects, _ turn: inout Turn) throws {
    try turn.transaction.save(effects.changes)
    try turn.transaction.save(effects.progress)
    turn.effects.usage.add(effects.usage)
    turn.effects.outbox.notes.add(effects.notes)
  }

  /// Writes effects of the outbox outside of a cycle: the changes, the usage counts and the
  /// outcomes. The caller reports the notes after the commit.
  func write(_ effects: OutboxEffects, in transaction: any StoreWriter) throws {
    if !effects.changes.isEmpty { try transaction.save(effects.changes) }
    if !effects.usage.isEmpty { try transaction.add(effects.usage.counts) }
    if configuration.routes.logsOutcomes { try transaction.append(effects.usage.outcomes) }
  }
}
