import CivilTime
import Engine
import FaultyDisk
import Outbox
import Reminders
import SQLiteStore
import Store
import Systemd

/// One process of a run, with the real loop and store, from its start to its end of any kind.
final class LifeProcess {
  let requestQueue: RequestQueue
  let heartbeats: Heartbeats
  private let store: SQLiteStore
  let loop: EngineLoop
  /// The store's instance, which is part of notification ids.
  let instance: String

  /// Opens the store and loads the wheel.
  init(_ life: Life) throws {
    let clocks = life.clocks
    heartbeats = Heartbeats()
    requestQueue = try RequestQueue(
      progress: heartbeats.register("engine", at: clocks.monotonicNow),
      uptime: { [unowned life] in life.clocks.monotonicNow })
    store = try SQLiteStore(
      directory: life.directory.path, vfs: life.disk.name,
      hash: IdentityHash(width: life.circumstances.hashWidth),
      logSize: life.circumstances.logSize)
    instance = store.instance
    var configuration = Engine.Configuration(
      store: SQLiteStore.opening(life.directory.path), planner: life.diary.planner,
      sinks: [life.sink],
      routes: Routes(allTo: life.sink.name), journal: Journal(.lines(-1)),
      board: StatusBoard(ServiceManager(socket: nil)), heartbeats: heartbeats)
    configuration.retention = life.circumstances.retention
    loop = try EngineLoop(
      configuration, store: store, requestQueue: requestQueue, host: LifeHost(life),
      actions: LifeActions(life))
    if life.circumstances.hasDeciderThread { try loop.startDecider() }
  }

  func run() -> StoreFailure? { loop.run() }
}

/// The machine of a run's processes.
final class LifeHost: EngineHost, @unchecked Sendable {
  private unowned let life: Life

  init(_ life: Life) { self.life = life }

  func now() -> Instant { life.clocks.wall }
  func uptime() -> MonotonicInstant { life.clocks.monotonicNow }
  func sinceBoot() -> TimeSpan { life.clocks.sinceBoot }
  var boot: String? { "boot-\(life.boots)" }
  func followZones() {}

  func wait(until wake: Instant?, isUrgent: Bool) -> WakeUp {
    life.pass(until: wake, isUrgent: isUrgent)
  }
}

/// Carries out the engine's actions. The actions of a dead process are ignored.
final class LifeActions: EngineActions, @unchecked Sendable {
  private unowned let life: Life

  init(_ life: Life) { self.life = life }

  func dispatch(_ deliveries: [Reminders.Delivery], toLane lane: Int) {
    guard !life.disk.isHalted else { return }
    life.take(deliveries, lane: lane)
  }

  func open(lane: Int, for sink: any Sink, _ limits: SinkLimits) {}
  func retire(lane: Int) {}
  func close(lane: Int) {}
  func dispatch(_ events: [AnalyticsItem], toLane lane: Int) {}
  func openAnalytics(lane: Int, for sink: any AnalyticsSink, _ limits: SinkLimits) {}
  func report(_ notes: OccurrenceNotes) {}
  func report(_ update: ZoneUpdate) {}
  func report(_ note: DeliveryNote) {}
  func report(_ refused: [FinishedSubmission]) {}
  func report(_ ended: [EndedReminder]) {}
  func report(_ recipients: [SetAsideRecipient]) {}
}
