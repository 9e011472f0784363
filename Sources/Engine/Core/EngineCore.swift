package import CivilTime
package import Outbox
package import Reminders
package import Store
package import Systemd

/// The engine's state machine: it connects wheel, store and lanes, and processes one cycle at a
/// time.
///
/// It is not thread-safe and reads no clock: the caller passes the time in.
package final class EngineCore {
  /// The most recipients that one transaction fires or replans: enough to amortize its sync, and
  /// few enough that an event does not wait long.
  static let batch = 8_192

  package let store: any Store
  let started: Instant
  let actions: any EngineActions
  let tokens: TokenTable
  let watchers = Watchers()
  let published: PublishedView
  /// Answers queries beside the engine, from any thread.
  package let questions: Questions
  var planner: Planner
  /// The number of previous planners.
  var plannings = 0
  /// The instants at which recipients are due.
  var schedule: ScheduleIndex
  /// The shards that this engine owns.
  var shards: OwnedShards
  /// Until when it certainly owns them; nil without a fleet.
  package var trust: TrustDeadline?
  /// The lanes with their deliveries, and the sinks by lane number.
  var outbox = Dispatcher()
  var sinks: [Int: any Sink] = [:]
  /// The configuration since the start or the last reload.
  var configuration: RuntimeConfiguration
  /// The observers of tests in flight, by notification.
  var testObservers: [Int64: TestObserver] = [:]
  /// Counters since the start.
  var counters = EngineCounters()
  /// The planner that the schedules of stale recipients were computed with.
  var stalePlanner: Planner
  /// A planner with the catalogs from before the start; nil if they are the same, and once all
  /// recipients are replanned.
  var formerPlanner: Planner?
  /// The occurrences that a start with other catalogs has ended so far.
  var ended = EndedReminders()
  /// The effects so far of a change of the tz database, while recipients are replanned.
  var zoneUpdate: ZoneUpdate?
  /// The zones that the tz database has lost, among the recipients that were replanned.
  var lostZones = LostZones()
  /// Whether the schedules from before the start differ only in the tz database that they were
  /// planned with.
  var areZonesNew = false
  /// The clock, and whether it can be right.
  var clock: EngineClock
  /// The progress of retention.
  var pruning: Pruning
  /// When to look for events that apps have inserted into the store.
  var submissionPoll = SubmissionPoll()
  /// Called between the steps of a long cycle, so that the watchdog sees progress.
  var showProgress: () -> Void = {}
  /// When the memory of the store is trimmed.
  var spareMemory = MemoryTrimmer()
  /// The thread that cleans the store's files after erasures; nil if the engine's own thread does.
  var cleaning: FileCleaning?
  /// The thread that decides groups of recipients while the engine's own thread writes; nil if
  /// there is none.
  var decider: GroupDecider?
  /// When to clean the store's files of erased recipients again, after a failure.
  var erasureRetry: Instant?
  /// The number of erasures since the start whose data the thread has cleaned from the files.
  var erasuresCleaned = 0
  /// Set when the service stops: sinks finish their deliveries in flight and get no others.
  var isDraining = false
  /// Whether the stop is recorded in the store.
  var isStopNoted = false
  /// Why nothing can be written at present; nil while writing works.
  var storageFailure: String? { obstacle?.description }
  /// The store's error while it is full or locked; nil otherwise.
  package private(set) var obstacle: StoreError?
  /// The recipients whose planning did not end, by row.
  var setAside: [UInt32: SetAsideRecipient] = [:]
  /// Requests for the next cycle: those that the disk had no space for, and those that follow from
  /// answers of the last cycle.
  var postponed: [Request] = []

  /// - Parameters:
  ///   - routes: nil routes every channel to the first sink.
  ///   - limits: by the sinks' names.
  ///   - setBack: by how much the clock was set back since the service last ran.
  package init(
    store: any Store, planner: Planner, sinks: [any Sink], routes: Routes? = nil,
    limits: [String: SinkLimits] = [:], actions: any EngineActions,
    tokens: TokenTable = TokenTable(), now: Instant, setBack: TimeSpan = .zero,
    trustNote: String? = nil
  ) throws(StoreError) {
    self.store = store
    self.planner = planner
    self.actions = actions
    self.tokens = tokens
    stalePlanner = planner
    published = PublishedView(EngineView(planner: planner, started: now))
    questions = Questions(
      readers: store.readers, published: published, watchers: watchers, tokens: tokens,
      instance: store.instance)
    pruning = Pruning(now: now)
    started = now
    clock = EngineClock(now: now, setBack: setBack, trust: trustNote)
    schedule = ScheduleIndex(now: now)
    shards = OwnedShards(store.ownership)
    let routes = routes ?? sinks.first.map { Routes(allTo: $0.name) } ?? Routes([:])
    configuration = RuntimeConfiguration(
      planner: planner, sinks: sinks, routes: routes, limits: limits)
    try load(configuration, now: now)
    publish(now: now)
  }

  /// Decides large groups of recipients on a separate thread from now on, until `endThreads`.
  package func decideApart() throws(SystemCallError) { decider = try GroupDecider() }

  /// Ends the threads beside the engine's. Call it between two cycles.
  package func endThreads() {
    cleaning?.close()
    decider?.close()
    decider = nil
  }

  /// The public id of a notification of this store.
  func identifier(of notification: Int64) -> String {
    NotificationID(store.instance, notification).description
  }

  /// The number of a notification by its public id; nil if the id is invalid or another store's.
  func number(of identifier: String) -> Int64? {
    NotificationID(identifier, of: store.instance)?.number
  }

  /// When the next cycle is needed unless a request comes earlier.
  package func nextWake(now: Instant) -> Instant? {
    if let release = clock.release { return release }
    guard schedule.stale.isEmpty, postponed.isEmpty, storageFailure == nil, !clock.hasNews,
      nextDeparture == nil
    else { return now }
    // While a jump of the clock is in doubt, nothing is fired (rule T6).
    guard clock.leap == nil else { return erasureRetry }
    guard schedule.due.isEmpty else { return now }
    var wakes = [schedule.earliest(), erasureRetry]
    if !isDraining {
      wakes += [
        pruning.wake, submissionPoll.wake, outbox.wake(now: now), spareMemory.wake,
      ]
    }
    return wakes.compactMap { $0 }.min()
  }

  /// Runs one engine cycle: processes the requests and fires due occurrences in one transaction,
  /// then carries out the effects.
  ///
  /// Each request is answered once, also when this throws (rule S7): as done if it is on disk,
  /// otherwise with a refusal. Requests that expect no answer are repeated in the next cycle.
  ///
  /// - Throws: the store's error. After `full` or `locked` another cycle may follow; after other
  ///   errors none may.
  package func turn(_ requests: [Request], now: Instant) throws(StoreError) {
    defer { publish(now: now) }
    guard mayAct else { return refuse(requests) }
    if isHeld(requests, now: now) { return }
    advanceClock(to: now)
    var turn = Turn(now: now, planner: planner)
    // Report to the journal last: the sinks get their deliveries first.
    defer { report(turn) }
    turn.dueRows = clock.leap == nil ? schedule.firstDue() : []
    turn.staleRows = schedule.firstStale()
    turn.takesSubmissions = !isDraining && clock.leap == nil && submissionPoll.isDue(at: now)
    var open = postponed + requests.filter { !answerAtOnce($0) }
    postponed = []
    let following = open.removeFollowingAnswers()
    defer { postponed += following }
    do {
      let isNeeded = turn.hasWork(open) || storageFailure != nil || clock.hasNews
      if isNeeded { try commit(&turn, &open) }
      try performApart(&open, now: now)
    } catch {
      for request in open { refuse(request, error) }
      throw error
    }
    try finishErasure(now: now)
    try concludeDepartures(now: now)
    try dispatch(now: now)
    try prune(now: now)
    if !hasWork, spareMemory.isLetGo(at: now) { store.releaseMemory() }
  }

  /// Answers requests while this node may not act.
  private func refuse(_ requests: [Request]) {
    for request in requests where !answerAtOnce(request) { refuse(request, .untrusted) }
  }

  /// - Parameter open: the requests without an answer; those to adopt a configuration stay.
  private func commit(_ turn: inout Turn, _ open: inout [Request]) throws(StoreError) {
    var work = turn
    let requests = open
    do {
      work = try store.commit { transaction in
        var work = work
        try perform(&work, requests, in: transaction)
        if obstacle != nil { try transaction.saveNote("room again", "\(turn.now)") }
        return work
      }
    } catch {
      if error.isPassing { obstacle = error }
      throw error
    }
    obstacle = nil
    clock.isSaved()
    if turn.staleRows.count == schedule.stale.count { clock.allAreBack() }
    turn = work
    open = requests.filter(\.isApart)
    // Committed requests are answered as done, whatever fails from here on.
    defer { conclude(turn) }
    schedule.remove(due: turn.dueRows.count, stale: turn.staleRows.count)
    // Without a cleaning thread, clean the files before the erasure is acknowledged.
    try finishErasure(now: turn.now)
  }
}
