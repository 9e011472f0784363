import Access
import CivilTime
import Reminders
package import Store
package import Systemd

/// Turns the engine: sleeps, reads the clock, takes a turn. Everything it decides is in
/// `EngineCore`, and all that it knows of the machine is its host's: on one of a simulator it
/// reads no clock.
///
/// For one thread.
package final class EngineLoop: @unchecked Sendable {
  /// How long the sinks have for what they are at when the service stops; the unit's
  /// `TimeoutStopSec=` has to be longer.
  private static let patience = TimeSpan.seconds(10)

  /// Told to those who ask after the end.
  private static let stopped = ServiceUnavailable(
    .stopping, "the service is stopping; try again soon")

  private let core: EngineCore
  private let host: any EngineHost
  package let clock: TrustedClock
  private let requestQueue: RequestQueue
  private let current: CurrentPlanner
  private let journal: Journal
  private let progress: ProgressHandle
  private let whenFailed: @Sendable (StoreFailure) -> Void
  private let keepsZones: @Sendable (ZoneDatabase) -> Void
  private var status: StatusReporter
  private var disk = DiskWatch()
  /// Once the service stops, how long the sinks have to finish what they have.
  private var stopDeadline: Instant?
  /// Whether it is to end as it is.
  private var isAbandoned = false
  /// While the disk is full, when to try again.
  private var pause: Instant?
  /// What was said of a clock that is behind.
  private var toldHold: Instant?
  /// By how much the clock was ahead when it was read last; zero while it is believed.
  private var lead = TimeSpan.zero
  /// Whether it was said of a clock that has leapt ahead.
  private var toldLeap = false
  /// How long cleaning the files may take until the operator is told.
  private static let cleaningPatience = TimeSpan.minutes(1)
  /// Since when somebody is erased who may still be read in the files.
  private var erasureSince: Instant?
  /// What was said of erasures that could not be finished.
  private var toldErasure: Instant?
  /// When the tz database, which is being replaced, will have been for a while.
  private var zoneReload: Instant?

  /// Loads the wheel from the store.
  ///
  /// - Parameters:
  ///   - store: the one of the configuration's directory, opened.
  ///   - requestQueue: where requests come from; whoever posts from within the host's `wait` is
  ///     served in the turn that follows.
  ///   - actions: what the engine does to the world; a sink's answer comes by the queue.
  ///   - current: gets every planner that comes into force by a change of the tz database.
  ///   - clock: one of the host's own if nil.
  package init(
    _ configuration: Engine.Configuration, store: any Store, requestQueue: RequestQueue,
    host: any EngineHost, actions: any EngineActions, tokens: TokenTable = TokenTable(),
    current: CurrentPlanner? = nil, clock: TrustedClock? = nil
  ) throws(StoreError) {
    let clock = clock ?? TrustedClock(host, patience: configuration.clockPatience)
    configuration.unsubscribeKey?.value = try store.unsubscribeKey()
    if let note = try store.commit({ try $0.note(EngineClock.trustNote) }) { clock.resume(note) }
    core = try EngineCore(
      store: store, planner: configuration.planner, sinks: configuration.sinks,
      routes: configuration.routes, limits: configuration.limits, actions: actions,
      tokens: tokens, now: clock.now(), setBack: clock.takeSetBack(), trustNote: clock.note)
    core.pruning.retention = configuration.retention
    core.publish(now: clock.now())
    if store.takesSubmissions { core.submissionPoll.begin(at: clock.now()) }
    core.trust = configuration.trust
    self.host = host
    self.clock = clock
    self.requestQueue = requestQueue
    self.current = current ?? CurrentPlanner(configuration.planner)
    journal = configuration.journal
    progress = requestQueue.progress
    whenFailed = configuration.whenFailed
    keepsZones = configuration.keepsZones
    status = StatusReporter(board: configuration.board)
    core.showProgress = { [progress] in progress.note(at: host.uptime()) }
    if let loss = store.loss { report(loss) }
    core.questions.damage.tell { [journal, board = configuration.board] reason in
      board.remark(on: "damage", reason)
      journal.send(.storeDamaged, reason, fields: [(.reason, reason)])
    }
  }

  /// Has the files cleaned of who was erased on a thread of its own, until the loop ends.
  package func cleanApart() throws(SystemCallError) {
    core.cleaning = try FileCleaning(core.store.cleaner) { [requestQueue] in
      requestQueue.post(.cleaned)
    }
  }

  /// Has a crowd decided on a thread of its own, until the loop ends.
  package func decideApart() throws(SystemCallError) { try core.decideApart() }

  /// What answers questions beside the loop, from any thread.
  package var questions: Questions { core.questions }

  /// Runs until the service is told to stop and its sinks have answered, or until the store fails.
  ///
  /// - Returns: why it cannot go on; nil after a stop.
  package func run() -> StoreFailure? {
    defer { core.endThreads() }
    // Loading may have taken its time.
    progress.note(at: host.uptime())
    do {
      while !isDone { try turn() }
      refuseAll(isAbandoned ? .untrusted : Self.stopped)
      if !isAbandoned { try core.store.shutDown() }
      progress.retire()
      return nil
    } catch {
      // Whoever has ended it as it is has ended its connections too, and knows why.
      guard core.trust?.isRevoked ?? false else { return fail(error) }
      refuseAll(.untrusted)
      progress.retire()
      return nil
    }
  }

  private func refuseAll(_ reason: ServiceUnavailable) {
    requestQueue.close()
    for request in requestQueue.take() { core.refuse(request, reason) }
  }

  /// Whether the sinks have finished, or have had their time.
  private var isDone: Bool {
    guard !isAbandoned else { return true }
    guard let stopDeadline else { return false }
    return core.isQuiet || clock.now() >= stopDeadline
  }

  private func turn() throws(StoreError) {
    var requests = requestQueue.take()
    if requests.contains(where: \.isAbandonment) {
      isAbandoned = true
      for request in requests { core.refuse(request, .untrusted) }
      return
    }
    let time = readClock(requests)
    let now = time.now
    if requests.contains(where: \.isStop) {
      core.isDraining = true
      stopDeadline = now + Self.patience
    }
    if let zoneReload, zoneReload <= now, let planner = reloadZones() {
      // In this turn: a configuration that is to come has its own catalogs.
      requests.append(.planWith(planner))
    }
    let obstacle = core.obstacle
    do {
      if let pause, now < pause, requests.isEmpty { return sleep(time) }
      pause = nil
      if isVouchedFor(requests) {
        core.clock.changeTrust(to: clock.note)
      } else if core.clock.hasNews || now < core.clock.latest {
        core.clock.trust = clock.note
      }
      let isNeeded = !requests.isEmpty || nextWake(now: now).map { $0 <= now } ?? false
      if isNeeded || now < core.clock.latest { try core.turn(requests, now: now) }
    } catch {
      guard error.isPassing else { throw error }
      pause = now + .seconds(1)
    }
    report(change: obstacle)
    reportClock(time)
    reportErasure()
    reportDisk(now)
    progress.note(at: host.uptime())
    status.show(core, now: now)
    if let wake = core.schedule.next.wake, wake <= now { core.publish(now: now) }
    if !isDone { sleep(time) }
  }

  /// Whether the wall clock is right whatever it says: an operator who reloads the service says so,
  /// and a clock that was too far behind is expected to leap.
  private func isVouchedFor(_ requests: [Request]) -> Bool {
    core.clock.hold != nil || requests.contains(where: \.isAdoption)
  }

  /// What time it is taken to be (rule T6).
  private func readClock(_ requests: [Request]) -> ClockTrust.Reading {
    if isVouchedFor(requests) { clock.believe() }
    let time = clock.read()
    core.clock.setBack = core.clock.setBack + clock.takeSetBack()
    if let leapt = core.clock.leap, time.release == nil, time.now >= leapt {
      core.believe(leapTo: time.now, by: lead)
    }
    lead = time.lead
    let leap = time.release.map { _ in time.now + time.lead }
    if leap != core.clock.leap {
      core.clock.leap = leap
      core.publish(now: time.now)
    }
    return time
  }

  /// Says once that the disk is full or the store locked, and once that it is not any more.
  private func report(change before: StoreError?) {
    guard before?.isLock != core.obstacle?.isLock else { return }
    switch before?.isLock {
    case true?: journal.send(.storeUnlocked, "the store is free again; nothing was lost")
    case false?: journal.send(.storageFreed, "the disk has room again; nothing was lost")
    case nil: break
    }
    guard let obstacle = core.obstacle else { return }
    let (reason, end) = (obstacle.description, obstacle.isLock ? "it is free" : "it has room")
    journal.send(
      obstacle.isLock ? .storeLocked : .storageFull,
      reason + "; nothing is taken in, and what is due waits, until \(end)",
      fields: [(.reason, reason)])
  }

  private func reportDisk(_ now: Instant) {
    let warning = disk.warning(at: now) { core.questions.diskUse }
    guard let warning else { return }
    journal.send(
      .storageLow, warning + "; events are rejected when it is full: free space",
      fields: [(.reason, warning)])
  }

  /// Says once that the clock cannot be right, and once that it can.
  private func reportClock(_ time: ClockTrust.Reading) {
    let now = time.now
    defer { (toldHold, toldLeap) = (core.clock.hold, core.clock.leap != nil) }
    switch (toldLeap, time.release) {
    case (false, let release?):
      journal.send(
        .clockDoubted,
        "the clock says \(now + time.lead), but by the time that has passed it is \(now): nothing "
          + "goes out until it is right, or until \(release) if it stays so",
        fields: [(.until, "\(release)")])
    case (true, nil):
      journal.send(.clockTrusted, "the clock says \(now), which is taken for right; firing goes on")
    default: break
    }
    switch (toldHold, core.clock.hold) {
    case (nil, let hold?):
      journal.send(
        .clockSuspect,
        "the clock says \(now), but something was recorded at \(hold): nothing fires and nothing "
          + "is taken in until it is right", fields: [(.until, "\(hold)")])
    case (_?, nil):
      journal.send(.clockTrusted, "the clock says \(now), which is taken for right; firing goes on")
    default: break
    }
  }

  /// Says once that an erasure could not be finished, however often it is tried, and once that it
  /// has been.
  private func reportErasure() {
    let open = core.store.erasureOpen
    erasureSince = open == nil ? nil : erasureSince ?? core.clock.latest
    // A thread of its own has its time.
    let deadline = erasureSince.map { $0 + Self.cleaningPatience }
    let isLate = core.cleaning == nil || deadline.map { core.clock.latest >= $0 } ?? true
    let told = isLate ? open : toldErasure
    defer { toldErasure = told }
    switch (toldErasure, told) {
    case (nil, let since?):
      journal.send(
        .erasureOpen,
        "somebody was erased at \(since) who may still be read in the store's files: the disk has "
          + "no room, or another program reads the store; it is tried again each minute",
        fields: [(.since, "\(since)")])
    case (_?, nil):
      journal.send(.erasureFinished, "the store's files are clean of everybody who was erased")
    default: break
    }
  }

  private func report(_ loss: StoreLoss) {
    journal.send(
      .eventsLost, "the store has lost what it had acknowledged: \(loss)",
      fields: [(.reason, "\(loss)")])
  }

  /// Where nothing may be done, nothing is waited for but to be told that it may.
  private func nextWake(now: Instant) -> Instant? {
    core.mayAct ? core.nextWake(now: now) : nil
  }

  private func sleep(_ time: ClockTrust.Reading) {
    let next = pause ?? nextWake(now: core.clock.latest)
    let wake = [next, status.wake, core.schedule.next.wake, zoneReload, stopDeadline, time.release]
      .compactMap { $0 }.min()
    let isUrgent = wake.map { $0 <= core.clock.latest } ?? false
    rest(until: wake)
    let wakeUp = host.wait(until: wake.map { $0 + time.lead }, isUrgent: isUrgent)
    progress.note(at: host.uptime())
    if wakeUp.clockStepped {
      journal.send(.clockStepped, "the wall clock was set; all timers were checked")
    }
    // A package manager replaces some hundred files one by one; the last of them counts.
    if wakeUp.zonesChanged { zoneReload = clock.now() + .seconds(2) }
  }

  /// The watchdog expects a sign of life once the deadline is past.
  private func rest(until wake: Instant?) {
    guard let wake else { return progress.idle(until: nil) }
    let span = max(0, wake.milliseconds - clock.now().milliseconds)
    progress.idle(until: host.uptime() + .milliseconds(span))
  }

  /// First of all the end of the process is arranged: what follows may hang.
  private func fail(_ error: StoreError) -> StoreFailure {
    // Of one that others may follow, nothing else of the service depends on it.
    if core.trust == nil { progress.fail() } else { progress.retire() }
    let isDamage = if case .damaged = error { true } else { false }
    let failure = StoreFailure(isDamage: isDamage, description: error.description)
    whenFailed(failure)
    requestQueue.close()
    for request in requestQueue.take() { core.refuse(request, error) }
    report(failure)
    return failure
  }

  /// Where others may follow, the process goes on as another node, which its own entry tells.
  private func report(_ failure: StoreFailure) {
    guard core.trust == nil || failure.isDamage else {
      return journal.send(message: failure.description, priority: .warning)
    }
    journal.send(.storeFailed, failure.description, fields: [(.reason, failure.description)])
  }

  /// Rule T1: everyone is planned anew, without a restart. A database that cannot be used changes
  /// nothing; the next change of it is looked at again.
  ///
  /// - Returns: what is to be planned with; nil if nothing has changed.
  private func reloadZones() -> Planner? {
    zoneReload = nil
    host.followZones()
    do {
      let zones = core.planner.zones
      let renewed = try ZoneDatabase(
        directory: zones.directory, generation: zones.generation + 1, lastKnown: zones.archive)
      let hasChanged =
        renewed.version != zones.version || !renewed.changes(since: zones).isEmpty
        || renewed.faults != zones.faults
      guard hasChanged else { return nil }
      let planner = core.planner.renewed(
        zones: renewed, defaultZone: try renewed.zone(named: core.planner.defaultZone.name))
      current.value = planner
      keepsZones(renewed)
      return planner
    } catch {
      journal.send(
        .zoneDatabaseRejected, "the tz database has changed and cannot be used: \(error)",
        fields: [(.reason, "\(error)")])
      return nil
    }
  }
}
