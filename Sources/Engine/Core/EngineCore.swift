package import CivilTime
package import Outbox
package import Reminders
package import Store
package import Systemd

/// The engine's state machine. It connects the timer wheel, the store and the lanes, which are the
/// queues of sinks. It processes one engine cycle at a time.
///
/// It is not thread-safe and reads no clock: the caller passes the time in.
package final class EngineCore {
  /// The maximum number of recipients that one transaction fires or replans. It is large enough to
  /// amortize the transaction's sync, and small enough that an event does not wait long.
  static let batchMax = 8_192

  package let store: any Store
  /// The time at which the engine was created.
  let started: Instant
  /// Carries out the effects outside the engine, such as calls of sinks and reports.
  let actions: any EngineActions
  let tokens: TokenTable
  /// The streams to wake when a cycle changes their recipients.
  let watchers = Watchers()
  /// The state that queries read, published after each cycle.
  let published: PublishedView
  /// Answers queries on any thread, without the engine's own thread.
  package let questions: Questions

  let shards: OwnedShards
  let outbox: EngineOutbox
  let firing: RecipientFiring
  let planning: Planning
  let ingestion: Ingestion
  let deliveryRequests: DeliveryRequests
  let maintenance: Maintenance
  /// Whether the system's clock is trusted, and which of its jumps are trusted.
  var clock: EngineClock
  /// The instants at which recipients are due.
  var schedule: ScheduleIndex

  /// Counters since the start.
  var counters = EngineCounters()
  /// Called between the steps of a long cycle, so that the watchdog sees progress.
  var showProgress: () -> Void = {}
  /// Receives the spans of sampled distributed traces; nil without tracing.
  var tracer: Tracer?
  /// Set when the service stops: sinks finish their deliveries in flight and get no others.
  var isDraining = false
  /// The store's error while it is full or locked; nil otherwise.
  package private(set) var obstacle: StoreError?
  /// Requests for the next cycle. Some have no waiting caller and could not be recorded yet. Others
  /// are further answers to a batch for which the current cycle already records an answer.
  var postponed: [Request] = []

  /// - Parameters:
  ///   - routes: nil routes every channel to the first sink.
  ///   - limits: the limits of sinks by name.
  ///   - setBack: by how much the clock was set back since the service last ran.
  ///   - trustNote: the note that the previous run saved, so that this start can judge the clock;
  ///     nil if there is none.
  package init(
    store: any Store, planner: Planner, sinks: [any Sink], routes: Routes? = nil,
    limits: [String: SinkLimits] = [:], actions: any EngineActions,
    tokens: TokenTable = TokenTable(), now: Instant, setBack: TimeSpan = .zero,
    trustNote: String? = nil
  ) throws(StoreError) {
    self.store = store
    self.actions = actions
    self.tokens = tokens
    published = PublishedView(EngineView(planner: planner, started: now))
    questions = Questions(
      readers: store.readers, published: published, watchers: watchers, tokens: tokens,
      instance: store.instance)
    started = now
    clock = EngineClock(now: now, setBack: setBack, trust: trustNote)
    schedule = ScheduleIndex(now: now)
    let routes = routes ?? sinks.first.map { Routes(allTo: $0.name) } ?? Routes([:])
    let configuration = RuntimeConfiguration(
      planner: planner, sinks: sinks, routes: routes, limits: limits)
    shards = OwnedShards(store)
    outbox = EngineOutbox(
      configuration, store: store, shards: shards, actions: actions, published: published)
    firing = RecipientFiring(instance: store.instance, outbox: outbox, actions: actions)
    planning = Planning(planner, firing: firing, actions: actions)
    ingestion = Ingestion(
      instance: store.instance, shards: shards, firing: firing, outbox: outbox, tokens: tokens)
    deliveryRequests = DeliveryRequests(
      instance: store.instance, outbox: outbox, ingestion: ingestion)
    maintenance = Maintenance(store, now: now)
    try load(configuration, now: now)
    publish(now: now)
  }

  var planner: Planner { planning.planner }

  /// Why nothing can be written at present; nil while writing works.
  var storageFailure: String? { obstacle?.description }

  /// Starts a separate thread that decides large groups of recipients, until `endThreads`.
  package func startDecider() throws(SystemCallError) { firing.decider = try GroupDecider() }

  /// Ends the engine's additional threads. Call it between two cycles.
  package func endThreads() {
    maintenance.cleaning?.close()
    firing.decider?.close()
    firing.decider = nil
  }

  /// Returns when the next cycle is needed unless a request comes earlier; nil if only a request
  /// needs one.
  package func nextWake(now: Instant) -> Instant? {
    if let release = clock.release { return release }
    guard schedule.stale.isEmpty, postponed.isEmpty, storageFailure == nil, !clock.isUnsaved,
      nextDeparture == nil
    else { return now }
    // While a jump of the clock is in doubt, nothing is fired (rule T6).
    guard clock.leap == nil else { return maintenance.erasureRetry }
    guard schedule.due.isEmpty else { return now }
    var wakes = [schedule.earliest(), maintenance.erasureRetry]
    if !isDraining {
      wakes += [
        maintenance.pruning.wake, ingestion.submissionPoll.wake, outbox.dispatcher.wake(now: now),
        maintenance.memory.wake,
      ]
    }
    return wakes.compactMap { $0 }.min()
  }

  /// Runs one engine cycle: processes the requests and fires due occurrences in one transaction,
  /// then carries out the effects.
  ///
  /// Each request is answered once, even if this function throws (rule S7). It is answered as done
  /// if it is on disk, and refused otherwise. Requests that expect no answer are repeated in the
  /// next cycle.
  ///
  /// - Throws: the store's error. After `full` or `locked` another cycle may follow; after other
  ///   errors none may.
  package func turn(_ requests: [Request], now: Instant) throws(StoreError) {
    defer { publish(now: now) }
    guard shards.mayAct else { return refuse(requests) }
    if refuseIfHeld(requests, now: now) { return }
    advanceClock(to: now)
    let work = nextWork(now: now)
    var effects: TurnEffects?
    // Report to the journal last, so that the sinks get their deliveries first.
    defer { if let effects { report(effects) } }
    var unanswered = postponed + requests.filter { !answerWithoutTransaction($0) }
    postponed = []
    let furtherAnswers = unanswered.removeFollowingAnswers()
    defer { postponed += furtherAnswers }
    do {
      let isNeeded = work.isNeeded(for: unanswered) || storageFailure != nil || clock.isUnsaved
      if isNeeded { try commit(work, &unanswered, &effects, now: now) }
      try performSeparately(&unanswered, now: now)
    } catch {
      for request in unanswered { refuse(request, error) }
      throw error
    }
    try maintenance.finishErasure(now: now)
    try concludeDepartures(now: now)
    try dispatch(now: now)
    try prune(now: now)
    if !hasWork { maintenance.trimMemory(now: now) }
  }

  /// Refuses the requests that need a transaction, because this node may not act.
  private func refuse(_ requests: [Request]) {
    for request in requests where !answerWithoutTransaction(request) { refuse(request, .untrusted) }
  }

  private func nextWork(now: Instant) -> TurnWork {
    var work = TurnWork()
    work.dueRows = clock.leap == nil ? schedule.firstDue() : []
    work.staleRows = schedule.firstStale()
    work.endsReplanning = work.staleRows.count == schedule.stale.count
    work.readsSubmissions =
      !isDraining && clock.leap == nil && ingestion.submissionPoll.isDue(at: now)
    return work
  }

  /// Whether deliveries may be dispatched, provided that this node may act.
  var maySend: Bool { !isDraining && clock.leap == nil }

  private func dispatch(now: Instant) throws(StoreError) {
    if isDraining { try outbox.recordStop() }
    guard maySend, shards.mayAct else { return }
    try outbox.dispatch(planner: planner, now: now, showProgress: showProgress)
  }

  /// Removes a few rows that are older than the retention, if there is no other work.
  private func prune(now: Instant) throws(StoreError) {
    guard maintenance.pruning.isDue(at: now), !hasWork, !isDraining, clock.isTrusted else { return }
    counters.pruned += try maintenance.prune(
      planner: planner, leaps: clock.leaps, now: now)
  }

  /// Runs the transaction of a cycle, and then carries out its effects.
  ///
  /// - Parameters:
  ///   - unanswered: the requests without an answer; afterwards only those that `performSeparately`
  ///     carries out.
  ///   - committedEffects: the effects, once they are on disk.
  private func commit(
    _ work: TurnWork, _ unanswered: inout [Request], _ committedEffects: inout TurnEffects?,
    now: Instant
  ) throws(StoreError) {
    let effects: TurnEffects
    let requests = unanswered
    do {
      effects = try store.commit { transaction in
        // The store may run this closure again, after it has rolled back its first run.
        var turn = Turn(
          work, in: transaction, planner: planner, now: now, showProgress: showProgress)
        turn.sampler = tracer?.sampler
        turn.logsOutcomes = outbox.configuration.routes.logsOutcomes
        try perform(&turn, requests)
        // A commit without writes would not show that the store can be written again.
        if obstacle != nil { try transaction.saveNote("room again", "\(now)") }
        return turn.effects
      }
    } catch {
      if error.isTemporary { obstacle = error }
      throw error
    }
    obstacle = nil
    clock.recordSaved()
    if work.endsReplanning { clock.endRewind() }
    committedEffects = effects
    unanswered = requests.filter(\.needsSeparateUnit)
    // Committed requests are answered as done, even if a later step fails.
    defer { conclude(effects, of: work, now: now) }
    schedule.remove(due: work.dueRows.count, stale: work.staleRows.count)
    // Without a cleaning thread, clean the files before the erasure is acknowledged.
    try maintenance.finishErasure(now: now)
  }
}
