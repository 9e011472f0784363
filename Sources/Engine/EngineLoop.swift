import Access
import CSystemd
import CivilTime
import Delivery
import Foundation
import Reminders
import Store
import Systemd

/// The thread that turns the engine: sleeps, reads the clock, takes a turn. Everything it decides
/// is in `EngineCore`.
final class EngineLoop: @unchecked Sendable {
  /// How long the sinks have for what they are at when the service stops; the unit's
  /// `TimeoutStopSec=` has to be longer.
  private static let patience = TimeSpan.seconds(10)

  /// Told to those who ask after the end.
  private static let stopped = ServiceUnavailable(
    .stopping, "the service is stopping; try again soon")

  let shell: EngineShell
  private let core: EngineCore
  private let inbox: Inbox
  private let current: PlannerInForce
  private let ended: Ending
  private let wakeUps: WakeUps
  private let journal: Journal
  private let progress: ProgressHandle
  private var status: StatusReporter
  /// Once the service stops, how long the sinks have to finish what they have.
  private var stopDeadline: Instant?
  /// While the disk is full, when to try again.
  private var pause: Instant?
  /// What was said of a clock that is behind.
  private var toldHold: Instant?
  /// When the tz database, which is being replaced, will have been for a while.
  private var zoneReload: Instant?

  init(
    _ configuration: Engine.Configuration, inbox: Inbox, current: PlannerInForce,
    tokens: TokenTable,
    ended: Ending
  ) throws {
    let store = try SQLiteStore(directory: configuration.stateDirectory)
    configuration.unsubscribeKey?.value = try store.unsubscribeKey()
    shell = EngineShell(
      sinks: configuration.sinks, limits: configuration.limits, inbox: inbox,
      journal: configuration.journal, ledger: configuration.ledger)
    core = try EngineCore(
      store: store, planner: configuration.planner, sinks: configuration.sinks,
      routes: configuration.routes, limits: configuration.limits, actions: shell,
      tokens: tokens, now: WallClock.now())
    self.inbox = inbox
    self.current = current
    self.ended = ended
    journal = configuration.journal
    wakeUps = try WakeUps(
      inbox: inbox.flag, zoneDirectory: configuration.planner.zones.directory)
    progress = inbox.progress
    status = StatusReporter(board: configuration.board)
  }

  func start() throws {
    Thread { [self] in
      // Else it would go by the name of the thread that starts it.
      _ = chime_thread_name("engine")
      run()
    }.start()
  }

  private func run() {
    // Loading may have taken its time.
    progress.note(at: .now)
    do {
      while !isDone { try turn() }
      inbox.close()
      for request in inbox.take() { core.refuse(request, Self.stopped) }
      try core.store.checkpoint()
      progress.retire()
      ended.end(nil)
    } catch {
      fail(error)
    }
  }

  /// Whether the sinks have finished, or have had their time.
  private var isDone: Bool {
    guard let stopDeadline else { return false }
    return core.isQuiet || WallClock.now() >= stopDeadline
  }

  private func turn() throws(StoreError) {
    var requests = inbox.take()
    let now = WallClock.now()
    if requests.contains(where: \.isStop) {
      core.isDraining = true
      stopDeadline = now + Self.patience
    }
    if let zoneReload, zoneReload <= now, let planner = reloadZones() {
      // In this turn: a configuration that is to come has its own catalogs.
      requests.append(.planWith(planner))
    }
    let failure = core.storageFailure
    do {
      if let pause, now < pause, requests.isEmpty { return sleep() }
      pause = nil
      let isNeeded = !requests.isEmpty || core.nextWake(now: now).map { $0 <= now } ?? false
      if isNeeded || now < core.latest { try core.turn(requests, now: now) }
    } catch {
      guard case .full = error else { throw error }
      pause = now + .seconds(1)
    }
    report(change: failure)
    reportClock(now)
    progress.note(at: .now)
    status.show(core, now: now)
    if !isDone { sleep() }
  }

  /// Says once that the disk is full, and once that it is not any more.
  private func report(change before: String?) {
    switch (before, core.storageFailure) {
    case (nil, let failure?):
      journal.send(
        .storageFull,
        failure + "; nothing is taken in, and what is due waits, until it has room",
        fields: [(.reason, failure)])
    case (_?, nil):
      journal.send(.storageFreed, "the disk has room again; nothing was lost")
    default: break
    }
  }

  /// Says once that the clock cannot be right, and once that it can.
  private func reportClock(_ now: Instant) {
    defer { toldHold = core.clockHold }
    switch (toldHold, core.clockHold) {
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

  private func sleep() {
    let next = pause ?? core.nextWake(now: core.latest)
    let wake = [next, status.wake, zoneReload, stopDeadline].compactMap { $0 }.min()
    let isUrgent = wake.map { $0 <= core.latest } ?? false
    rest(until: wake)
    let (stepped, zonesChanged) = wakeUps.sleep(until: wake, isUrgent: isUrgent)
    progress.note(at: .now)
    if stepped { journal.send(.clockStepped, "the wall clock was set; all timers were checked") }
    // A package manager replaces some hundred files one by one; the last of them counts.
    if zonesChanged { zoneReload = WallClock.now() + .seconds(2) }
  }

  /// The watchdog expects a sign of life once the deadline is past.
  private func rest(until wake: Instant?) {
    guard let wake else { return progress.idle(until: nil) }
    let span = max(0, wake.milliseconds - WallClock.now().milliseconds)
    progress.idle(until: .now + .milliseconds(span))
  }

  private func fail(_ error: StoreError) {
    inbox.close()
    for request in inbox.take() { core.refuse(request, error) }
    journal.send(
      .storeFailed, error.description, fields: [(.reason, error.description)])
    progress.retire()
    let isDamage = if case .damaged = error { true } else { false }
    ended.end(StoreFailure(isDamage: isDamage, description: error.description))
  }

  /// Rule T1: everyone is planned anew, without a restart. A database that cannot be used changes
  /// nothing; the next change of it is looked at again.
  ///
  /// - Returns: what is to be planned with; nil if nothing has changed.
  private func reloadZones() -> Planner? {
    zoneReload = nil
    wakeUps.watchZonesAgain()
    do {
      let zones = core.planner.zones
      let renewed = try ZoneDatabase(
        directory: zones.directory, generation: zones.generation + 1)
      let hasChanged = renewed.version != zones.version || !renewed.changes(since: zones).isEmpty
      guard hasChanged else { return nil }
      let planner = core.planner.renewed(
        zones: renewed, defaultZone: try renewed.zone(named: core.planner.defaultZone.name))
      current.value = planner
      return planner
    } catch {
      journal.send(
        .zoneDatabaseRejected, "the tz database has changed and cannot be used: \(error)",
        fields: [(.reason, "\(error)")])
      return nil
    }
  }
}

extension Request {
  var isStop: Bool {
    if case .stop = self { true } else { false }
  }
}
