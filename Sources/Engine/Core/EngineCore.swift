package import CivilTime
package import Outbox
package import Reminders
package import Store
package import Systemd

/// The one place where wheel, store and lanes meet: everything that happens, one turn at a time.
///
/// For one thread, and without a clock: the loop says what time it is, and so do the tests.
package final class EngineCore {
  /// How many recipients are fired, or planned anew, in one transaction at most: enough that its
  /// sync counts for little, few enough that an event does not wait long for its turn.
  static let batch = 8_192

  package let store: any Store
  let started: Instant
  let actions: any EngineActions
  let tokens: TokenTable
  let watchers = Watchers()
  let published: PublishedView
  /// What answers questions beside it.
  package let questions: Questions
  var planner: Planner
  /// The number of planners that were in use before.
  var plannings = 0
  /// Whose turn it is when.
  var schedule: ScheduleIndex
  /// Whose recipients there are.
  var shards: OwnedShards
  /// Until when it is known that they are; nil where they can be nobody else's.
  package var trust: TrustDeadline?
  /// What is on its way to sinks, and the sinks, by the numbers of their lanes.
  var outbox = Dispatcher()
  var sinks: [Int: any Sink] = [:]
  /// What it goes by since the start or the last reload.
  var configuration: RuntimeConfiguration
  /// Who watches tests on their way, by notification.
  var testObservers: [Int64: TestObserver] = [:]
  /// What has been counted since the start.
  var counters = EngineCounters()
  /// What those who are to be planned anew were planned with.
  var stalePlanner: Planner
  /// What plans with the catalogs of before a start; nil if the start has the same, and when all
  /// are planned anew.
  var formerPlanner: Planner?
  /// What the catalogs of a start have ended so far.
  var ended = EndedReminders()
  /// What the change of the tz database has come to so far for which recipients are planned anew.
  var zoneUpdate: ZoneUpdate?
  /// The zones that the tz database has lost, of those who have been planned anew.
  var lostZones = LostZones()
  /// Whether the schedules were planned with another tz database before the start, and differ in
  /// nothing else.
  var areZonesNew = false
  /// What it goes by, and whether that can be right.
  var clock: EngineClock
  /// How far it has come with removing what is old.
  var pruning: Pruning
  /// When it looks for what apps have left in the store.
  var submissionPoll = SubmissionPoll()
  /// Called between the steps of a turn that takes long, so that the watchdog sees that it gets on.
  var showProgress: () -> Void = {}
  /// When what the store keeps in memory is let go.
  var spareMemory = MemoryTrimmer()
  /// The thread that cleans the store's files of who was erased; nil if the engine's own does.
  var cleaning: FileCleaning?
  /// The thread that decides for a crowd while the engine's own writes; nil if that one does it.
  var decider: GroupDecider?
  /// When the store's files are to be cleaned of who was erased, if that failed before.
  var erasureRetry: Instant?
  /// How many erasures since the start its thread has cleaned the files of.
  var erasuresCleaned = 0
  /// Set when the service stops: sinks finish what they have and get nothing more.
  var isDraining = false
  /// Whether the store knows that the service stops.
  var isStopNoted = false
  /// Why nothing can be written at present; nil while it can.
  var storageFailure: String? { obstacle?.description }
  /// The same as the store has said it: it is full, or locked.
  package private(set) var obstacle: StoreError?
  /// The recipients whose planning did not end, by row.
  var setAside: [UInt32: SetAsideRecipient] = [:]
  /// What the disk had no space for, and answers that follow on others of the last turn: to be done
  /// in the next one.
  var postponed: [Request] = []

  /// - Parameters:
  ///   - routes: everything to the first sink if nil.
  ///   - limits: by the sinks' names.
  ///   - setBack: by how much the clock was set back since the service ran last.
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
      readers: store.readers, published: published, watchers: watchers, instance: store.instance)
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

  /// Has crowds decided on a thread of its own from now on, until `endThreads`.
  package func decideApart() throws(SystemCallError) { decider = try GroupDecider() }

  /// Ends its threads beside the engine's, between two turns.
  package func endThreads() {
    cleaning?.close()
    decider?.close()
    decider = nil
  }

  /// What a notification of this store is called outside.
  func identifier(of notification: Int64) -> String {
    NotificationID(store.instance, notification).description
  }

  /// The number of a notification by its id; nil for the id of another store's, or for none.
  func number(of identifier: String) -> Int64? {
    NotificationID(identifier, of: store.instance)?.number
  }

  /// When the next turn is needed if nothing is requested before.
  package func nextWake(now: Instant) -> Instant? {
    if let release = clock.release { return release }
    guard schedule.stale.isEmpty, postponed.isEmpty, storageFailure == nil, !clock.hasNews,
      nextDeparture == nil
    else { return now }
    // What is due waits until it is known what time it is.
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

  /// Does everything that is to be done at `now`: takes in what is requested, fires what is due,
  /// all in one transaction, then hands on what that gave.
  ///
  /// Each request is answered, once, also when this throws (rule S7): as done if it is on disk,
  /// else with a refusal. What asks for no answer is done in the next turn.
  ///
  /// - Throws: what the store says: that it is full, and there may be another turn, or that it has
  ///   failed, and there may be none.
  package func turn(_ requests: [Request], now: Instant) throws(StoreError) {
    defer { publish(now: now) }
    guard mayAct else { return refuse(requests) }
    if isHeld(requests, now: now) { return }
    advanceClock(to: now)
    var turn = Turn(now: now, planner: planner)
    // The journal has its turn when the sinks have what is theirs.
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

  /// Answers for requests where nothing may be done.
  private func refuse(_ requests: [Request]) {
    for request in requests where !answerAtOnce(request) { refuse(request, .untrusted) }
  }

  /// - Parameter open: the requests without an answer; those to adopt something stay.
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
    // What is on disk is answered as done, whatever fails from here on.
    defer { conclude(turn) }
    schedule.remove(due: turn.dueRows.count, stale: turn.staleRows.count)
    // Where no thread is there for it, who is told that somebody is erased can rely on it.
    try finishErasure(now: turn.now)
  }
}
