import Access
import CivilTime
import Reminders
package import Store
package import Systemd

/// Runs the engine: it repeatedly sleeps, reads the clock and runs an engine cycle. `EngineCore`
/// makes all decisions. All access to the machine goes through the host, so that a simulation needs
/// no clock.
///
/// Not thread-safe.
package final class EngineLoop: @unchecked Sendable {
  /// How long sinks may take to finish when the service stops; `TimeoutStopSec=` of the unit has to
  /// be longer.
  private static let stopTimeout = TimeSpan.seconds(10)

  /// The answer to requests that remain when the service has stopped.
  private static let stopped = ServiceUnavailable(
    .stopping, "the service is stopping; try again soon")

  private let core: EngineCore
  private let host: any EngineHost
  package let clock: TrustedClock
  private let requestQueue: RequestQueue
  private let currentPlanner: CurrentPlanner
  private let journal: Journal
  /// The engine's progress, which the watchdog requires.
  private let progress: ProgressHandle
  /// Called when a failure of the store ends the engine.
  private let whenStoreFails: @Sendable (StoreFailure) -> Void
  /// Called when a new version of the tz database was read.
  private let whenZonesChange: @Sendable (ZoneDatabase) -> Void
  private let statusBoard: StatusBoard
  private var statusReporter: StatusReporter
  private var diskWatch = DiskWatch()
  private var tokenWatch = TokenWatch()
  private var auditSchedule: AuditSchedule
  /// Runs the nightly audit on another thread.
  var startAudit: @Sendable (AuditQuery) -> Void = { _ in }
  /// The deadline of the sinks once the service stops; nil until then.
  private var stopDeadline: Instant?
  /// Whether to end at once, without waiting for sinks.
  private var isAbandoned = false
  /// When to try again while the store is full or locked; nil otherwise.
  private var pauseEnd: Instant?
  /// The time of the newest record, if the last report says that the clock is behind that record;
  /// otherwise nil.
  private var reportedHold: Instant?
  /// How far the wall clock was ahead of the trusted time at the last reading; zero while the wall
  /// clock is trusted.
  private var clockLead = TimeSpan.zero
  /// Whether a jump of the clock was in doubt at the last report.
  private var hasReportedLeap = false
  /// How long the store's files may contain data of an erased recipient until that is reported.
  private static let cleaningTimeout = TimeSpan.minutes(1)
  /// The time of the cycle in which the loop first found an erasure unfinished; nil if none is
  /// unfinished.
  private var erasureSince: Instant?
  /// The time of the unfinished erasure that was reported last; nil if none is unfinished.
  private var reportedErasure: Instant?
  /// When to reload the tz database; nil if its files have not changed since they were loaded.
  private var zoneReload: Instant?

  /// Creates the loop, and loads the timer wheel from the store.
  ///
  /// - Parameters:
  ///   - store: the open store, which is used instead of `configuration.store`.
  ///   - requestQueue: the source of requests. A request that is posted during the host's `wait` is
  ///     processed in the next cycle.
  ///   - actions: carries out the engine's effects. A sink's answer arrives through `requestQueue`.
  ///   - current: receives each planner that a change of the tz database makes current.
  ///   - clock: the trusted clock; nil creates one from the host.
  package init(
    _ configuration: Engine.Configuration, store: any Store, requestQueue: RequestQueue,
    host: any EngineHost, actions: any EngineActions, tokens: TokenTable = TokenTable(),
    current: CurrentPlanner? = nil, clock: TrustedClock? = nil
  ) throws(StoreError) {
    let clock = clock ?? TrustedClock(host, trustAfter: configuration.clockTrustAfter)
    configuration.linkKey?.value = try store.linkKey()
    if let note = try store.commit({ try $0.note(EngineClock.trustNote) }) { clock.resume(note) }
    core = try EngineCore(
      store: store, planner: configuration.planner, sinks: configuration.sinks,
      routes: configuration.routes, limits: configuration.limits, actions: actions,
      tokens: tokens, now: clock.now(), setBack: clock.takeSetBack(), trustNote: clock.note)
    core.maintenance.pruning.retention = configuration.retention
    core.publish(now: clock.now())
    if store.acceptsSubmissions { core.ingestion.submissionPoll.begin(at: clock.now()) }
    core.shards.trust = configuration.trust
    core.tracer = configuration.tracer
    core.published.actionLinks = configuration.actionLinks
    self.host = host
    self.clock = clock
    self.requestQueue = requestQueue
    currentPlanner = current ?? CurrentPlanner(configuration.planner)
    journal = configuration.journal
    progress = requestQueue.progress
    whenStoreFails = configuration.whenStoreFails
    whenZonesChange = configuration.whenZonesChange
    auditSchedule = AuditSchedule(share: configuration.auditShare)
    statusBoard = configuration.board
    statusReporter = StatusReporter(board: statusBoard)
    core.showProgress = { [progress] in progress.note(at: host.uptime()) }
    if let loss = store.loss { report(loss) }
    core.questions.damage.setReceiver { [journal, statusBoard] reason in
      statusBoard.remark(on: "damage", reason)
      journal.send(.storeDamaged, reason, fields: [(.reason, reason)])
    }
  }

  /// Starts a separate thread that cleans the store's files after erasures, until the loop ends.
  package func startCleaning() throws(SystemCallError) {
    core.maintenance.cleaning = try FileCleaning(core.store.cleaner) { [requestQueue] in
      requestQueue.post(.cleaned)
    }
  }

  /// Starts a separate thread that decides large groups of recipients, until the loop ends.
  package func startDecider() throws(SystemCallError) { try core.startDecider() }

  /// Answers queries on any thread, without waiting for the loop.
  package var questions: Questions { core.questions }

  /// Runs until the service stops and its sinks have answered, or until the store fails.
  ///
  /// - Returns: why the engine cannot continue; nil after a stop.
  package func run() -> StoreFailure? {
    defer { core.endThreads() }
    // Report progress to the watchdog, because loading may have taken long.
    progress.note(at: host.uptime())
    do {
      while !isDone { try runCycle() }
      refuseAll(isAbandoned ? .untrusted : Self.stopped)
      if !isAbandoned {
        remarkUnrecordedAnswers()
        try core.store.shutDown()
      }
      progress.retire()
      return nil
    } catch {
      // In a fleet, the owner of the loop may have revoked its trust and closed the connections.
      // Then the error is not a failure of the store.
      guard core.shards.trust?.isRevoked ?? false else { return fail(error) }
      refuseAll(.untrusted)
      progress.retire()
      return nil
    }
  }

  private func refuseAll(_ reason: ServiceUnavailable) {
    requestQueue.close()
    for request in requestQueue.take() { core.refuse(request, reason) }
  }

  /// Reports how many answers of sinks are lost because the store was full or locked until the end.
  private func remarkUnrecordedAnswers() {
    let count = core.postponed.reduce(0) { $0 + $1.answerCount }
    guard count > 0 else { return }
    let deliveries = count == 1 ? "1 delivery" : "\(count) deliveries"
    let reason = core.storageFailure.map { ", because \($0)" } ?? ""
    statusBoard.remark(
      on: StatusBoard.end,
      "the answers of sinks to \(deliveries) are not recorded\(reason); the next start repeats "
        + "deliveries without a recorded answer, under the same ids")
  }

  /// Whether the loop ends. It ends at once if it was abandoned. During a stop it ends when the
  /// sinks have finished, or at their deadline.
  private var isDone: Bool {
    guard !isAbandoned else { return true }
    guard let stopDeadline else { return false }
    return core.hasNothingInFlight || clock.now() >= stopDeadline
  }

  private func runCycle() throws(StoreError) {
    var requests = requestQueue.take()
    if requests.contains(where: \.isAbandonment) {
      isAbandoned = true
      for request in requests { core.refuse(request, .untrusted) }
      return
    }
    let reading = readClock(requests)
    let now = reading.now
    if requests.contains(where: \.isStop) {
      core.isDraining = true
      stopDeadline = now + Self.stopTimeout
    }
    if let zoneReload, zoneReload <= now, let planner = reloadZones() {
      // The planner of this request has the current catalogs, which must not replace the catalogs
      // of a new configuration. So a configuration in the same cycle is adopted after this request.
      requests.append(.planWith(planner))
    }
    let previousObstacle = core.obstacle
    do {
      if let pauseEnd, now < pauseEnd, requests.isEmpty { return sleep(reading) }
      pauseEnd = nil
      if isClockConfirmed(requests) {
        core.clock.changeTrust(to: clock.note)
      } else if core.clock.isUnsaved || now < core.clock.latest {
        core.clock.trust = clock.note
      }
      let isNeeded = !requests.isEmpty || nextWake(now: now).map { $0 <= now } ?? false
      if isNeeded || now < core.clock.latest { try core.turn(requests, now: now) }
    } catch {
      guard error.isTemporary else { throw error }
      pauseEnd = now + .seconds(1)
    }
    reportObstacle(after: previousObstacle)
    reportClock(reading)
    reportErasure()
    reportDisk(now)
    reportTokens(now)
    auditSchedule.query(at: now, in: core.planner.defaultZone).map(startAudit)
    progress.note(at: host.uptime())
    statusReporter.show(core, now: now)
    if let wake = core.schedule.next.wake, wake <= now { core.publish(now: now) }
    if !isDone { sleep(reading) }
  }

  /// Returns whether the wall clock is trusted without a check. An operator confirms the clock by a
  /// reload. A clock that was far behind is expected to jump.
  private func isClockConfirmed(_ requests: [Request]) -> Bool {
    core.clock.hold != nil || requests.contains(where: \.isAdoption)
  }

  /// Reads the clock, and updates the state of jumps that are in doubt (rule T6).
  private func readClock(_ requests: [Request]) -> ClockTrust.Reading {
    if isClockConfirmed(requests) { clock.trustWallClock() }
    let reading = clock.read()
    core.clock.setBack = core.clock.setBack + clock.takeSetBack()
    if let doubtedTime = core.clock.leap, reading.release == nil, reading.now >= doubtedTime {
      core.recordTrustedLeap(to: reading.now, by: clockLead)
    }
    clockLead = reading.lead
    let leap = reading.release.map { _ in reading.now + reading.lead }
    if leap != core.clock.leap {
      core.clock.leap = leap
      core.publish(now: reading.now)
    }
    return reading
  }

  /// Reports once that the disk is full or the store locked, and once that this obstacle is gone.
  private func reportObstacle(after previous: StoreError?) {
    guard previous?.isLock != core.obstacle?.isLock else { return }
    switch previous?.isLock {
    case true?: journal.send(.storeUnlocked, "the store is free again; nothing was lost")
    case false?: journal.send(.storageFreed, "the disk has room again; nothing was lost")
    case nil: break
    }
    guard let obstacle = core.obstacle else { return }
    let (reason, recovery) = (obstacle.description, obstacle.isLock ? "it is free" : "it has room")
    journal.send(
      obstacle.isLock ? .storeLocked : .storageFull,
      reason + "; events are rejected and due occurrences wait until \(recovery)",
      fields: [(.reason, reason)])
  }

  private func reportDisk(_ now: Instant) {
    let warning = diskWatch.warning(at: now) { core.questions.diskUse }
    guard let warning else { return }
    journal.send(
      .storageLow, warning + "; free space, because events are rejected when the disk is full",
      fields: [(.reason, warning)])
  }

  private func reportTokens(_ now: Instant) {
    for token in tokenWatch.warnings(from: core.tokens, at: now) {
      let reason = token.sentence(at: now)
      journal.send(
        .tokenEnding,
        "\(reason); create its successor: \(token.successor); give it to the app, then revoke "
          + "this one: chimectl token revoke \(token.identifier)",
        fields: [(.reason, reason)])
    }
  }

  /// Reports once that the clock has jumped ahead or is behind the newest record, and once that it
  /// is trusted again.
  private func reportClock(_ reading: ClockTrust.Reading) {
    let now = reading.now
    defer { (reportedHold, hasReportedLeap) = (core.clock.hold, core.clock.leap != nil) }
    switch (hasReportedLeap, reading.release) {
    case (false, let release?):
      journal.send(
        .clockDoubted,
        "the clock is at \(now + reading.lead), but by the elapsed time it is \(now): nothing "
          + "is sent until the clock is right, or until \(release), when it is trusted as it is",
        fields: [(.until, "\(release)")])
    case (true, nil):
      journal.send(.clockTrusted, "the clock is at \(now), and is trusted; firing continues")
    default: break
    }
    switch (reportedHold, core.clock.hold) {
    case (nil, let hold?):
      journal.send(
        .clockSuspect,
        "the clock is at \(now), but the newest record is of \(hold): nothing fires and events "
          + "are rejected until the clock is right", fields: [(.until, "\(hold)")])
    case (_?, nil):
      journal.send(.clockTrusted, "the clock is at \(now), and is trusted; firing continues")
    default: break
    }
  }

  /// Reports once that an erasure was not finished in time, and once that it has been finished.
  private func reportErasure() {
    let openErasure = core.store.erasureOpen
    erasureSince = openErasure == nil ? nil : erasureSince ?? core.clock.latest
    let deadline = erasureSince.map { $0 + Self.cleaningTimeout }
    let isLate =
      core.maintenance.cleaning == nil || deadline.map { core.clock.latest >= $0 } ?? true
    let reported = isLate ? openErasure : reportedErasure
    defer { reportedErasure = reported }
    switch (reportedErasure, reported) {
    case (nil, let since?):
      journal.send(
        .erasureOpen,
        "data of a recipient erased at \(since) may still be in the store's files: the disk has "
          + "no room, or another program reads the store; cleaning is repeated each minute",
        fields: [(.since, "\(since)")])
    case (_?, nil):
      journal.send(.erasureFinished, "the store's files are clean of all erased recipients")
    default: break
    }
  }

  private func report(_ loss: StoreLoss) {
    journal.send(
      .eventsLost, "the store has lost acknowledged data: \(loss)",
      fields: [(.reason, "\(loss)")])
  }

  /// When the next cycle is needed; nil while this node may not act. A request wakes the loop when
  /// the node may act again.
  private func nextWake(now: Instant) -> Instant? {
    core.shards.mayAct ? core.nextWake(now: now) : nil
  }

  private func sleep(_ reading: ClockTrust.Reading) {
    let next = pauseEnd ?? nextWake(now: core.clock.latest)
    let wake = [
      next, statusReporter.wake, core.schedule.next.wake, tokenWatch.wake, auditSchedule.wake,
      zoneReload,
      stopDeadline, reading.release,
    ].compactMap { $0 }.min()
    let isUrgent = wake.map { $0 <= core.clock.latest } ?? false
    announceSleep(until: wake)
    let wakeUp = host.wait(until: wake.map { $0 + reading.lead }, isUrgent: isUrgent)
    progress.note(at: host.uptime())
    if wakeUp.clockStepped {
      journal.send(.clockStepped, "the wall clock was set; all timers were checked")
    }
    // A package manager replaces hundreds of files one by one; wait until it is done.
    if wakeUp.zonesChanged { zoneReload = clock.now() + .seconds(2) }
  }

  /// Announces a sleep to the watchdog, which expects progress again when the sleep ends.
  private func announceSleep(until wake: Instant?) {
    guard let wake else { return progress.idle(until: nil) }
    let span = max(0, wake.milliseconds - clock.now().milliseconds)
    progress.idle(until: host.uptime() + .milliseconds(span))
  }

  /// Ends the engine after a failure of the store. Except in a fleet, first stops the keep-alive
  /// messages to systemd, because the other steps may hang.
  private func fail(_ error: StoreError) -> StoreFailure {
    // In a fleet the process joins again as another node, so the watchdog must not restart it.
    if core.shards.trust == nil { progress.fail() } else { progress.retire() }
    let isDamage = if case .damaged = error { true } else { false }
    let failure = StoreFailure(isDamage: isDamage, description: error.description)
    whenStoreFails(failure)
    requestQueue.close()
    for request in requestQueue.take() { core.refuse(request, error) }
    report(failure)
    return failure
  }

  /// Reports the failure. In a fleet it is only a warning, unless the store is damaged, because the
  /// process joins again as another node.
  private func report(_ failure: StoreFailure) {
    guard core.shards.trust == nil || failure.isDamage else {
      return journal.send(message: failure.description, priority: .warning)
    }
    journal.send(.storeFailed, failure.description, fields: [(.reason, failure.description)])
  }

  /// Reloads the tz database without a restart (rule T1). If the new files cannot be used,
  /// the current database stays in use until the files change again.
  ///
  /// - Returns: the new planner; nil if nothing has changed.
  private func reloadZones() -> Planner? {
    zoneReload = nil
    host.followZones()
    do {
      let zones = core.planner.zones
      let newZones = try ZoneDatabase(
        directory: zones.directory, generation: zones.generation + 1, lastKnown: zones.archive)
      let hasChanged =
        newZones.version != zones.version || !newZones.changes(since: zones).isEmpty
        || newZones.faults != zones.faults
      guard hasChanged else { return nil }
      let planner = core.planner.renewed(
        zones: newZones, defaultZone: try newZones.zone(named: core.planner.defaultZone.name))
      currentPlanner.value = planner
      whenZonesChange(newZones)
      return planner
    } catch {
      journal.send(
        .zoneDatabaseRejected, "the tz database has changed and cannot be used: \(error)",
        fields: [(.reason, "\(error)")])
      return nil
    }
  }
}
