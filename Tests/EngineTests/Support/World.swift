import Engine
import Outbox
import Reminders
import Store
import Synchronization

/// Records the actions of the engine.
final class World: EngineActions {
  private struct State {
    /// The names of the sinks by lane number, including closed lanes.
    var sinks: [Int: String] = [:]
    var closed: [Int] = []
    var retired: Set<Int> = []
    var analytics: [(lane: Int, events: [AnalyticsItem])] = []
    var batches: [(lane: Int, deliveries: [Reminders.Delivery])] = []
    var notes: [OccurrenceNotes] = []
    var zoneUpdates: [ZoneUpdate] = []
    var deliveryNotes: [DeliveryNote] = []
    var refused: [FinishedSubmission] = []
    var ended: [EndedReminder] = []
    var setAside: [SetAsideRecipient] = []
  }

  private let state = Mutex(State())

  func open(lane: Int, for sink: any Sink, _ limits: SinkLimits) {
    state.withLock { $0.sinks[lane] = sink.name }
  }

  func retire(lane: Int) {
    _ = state.withLock { $0.retired.insert(lane) }
  }

  /// The lanes of removed sinks.
  var retired: Set<Int> { state.withLock { $0.retired } }

  func close(lane: Int) {
    state.withLock { $0.closed.append(lane) }
  }

  /// Replaces all lanes by those of a new start.
  func begin(_ sinks: [any Sink]) {
    state.withLock { state in
      state.sinks = Dictionary(uniqueKeysWithValues: sinks.map(\.name).enumerated().map { $0 })
      (state.closed, state.retired) = ([], [])
    }
  }

  /// Returns the name of a lane's sink.
  func sink(of lane: Int) -> String { state.withLock { $0.sinks[lane] } ?? "lane \(lane)" }

  /// The lanes closed since the start, in order.
  var closed: [Int] { state.withLock { $0.closed } }

  func dispatch(_ deliveries: [Reminders.Delivery], toLane lane: Int) {
    state.withLock { $0.batches.append((lane, deliveries)) }
  }

  func openAnalytics(lane: Int, for sink: any AnalyticsSink, _ limits: SinkLimits) {
    state.withLock { $0.sinks[lane] = sink.name + " analytics" }
  }

  func dispatch(_ events: [AnalyticsItem], toLane lane: Int) {
    state.withLock { $0.analytics.append((lane, events)) }
  }

  /// Removes and returns the batches of analytics events dispatched since the last call.
  func takeAnalytics() -> [(lane: Int, events: [AnalyticsItem])] {
    state.withLock { state in
      defer { state.analytics = [] }
      return state.analytics
    }
  }

  func report(_ notes: OccurrenceNotes) {
    state.withLock { $0.notes.append(notes) }
  }

  func report(_ update: ZoneUpdate) {
    state.withLock { $0.zoneUpdates.append(update) }
  }

  var zoneUpdates: [ZoneUpdate] { state.withLock { $0.zoneUpdates } }

  func report(_ note: DeliveryNote) {
    state.withLock { $0.deliveryNotes.append(note) }
  }

  func report(_ recipients: [SetAsideRecipient]) {
    state.withLock { $0.setAside += recipients }
  }

  func report(_ refused: [FinishedSubmission]) {
    state.withLock { $0.refused += refused }
  }

  func report(_ ended: [EndedReminder]) {
    state.withLock { $0.ended += ended }
  }

  /// The reminders that ended because a start had other catalogs.
  var ended: [EndedReminder] { state.withLock { $0.ended } }

  /// The recipients whose planning did not end.
  var setAside: [SetAsideRecipient] { state.withLock { $0.setAside } }

  var refused: [FinishedSubmission] { state.withLock { $0.refused } }

  /// All notes on deliveries and sinks.
  var deliveryNotes: [DeliveryNote] { state.withLock { $0.deliveryNotes } }

  var hasBatches: Bool { state.withLock { !$0.batches.isEmpty } }

  /// The dispatched deliveries that `takeBatches` has not returned yet.
  var dispatched: [Reminders.Delivery] { state.withLock { $0.batches.flatMap(\.deliveries) } }

  /// Removes and returns the batches dispatched since the last call.
  func takeBatches() -> [(lane: Int, deliveries: [Reminders.Delivery])] {
    state.withLock { state in
      defer { state.batches = [] }
      return state.batches
    }
  }

  func takeNotes() -> [OccurrenceNotes] {
    state.withLock { state in
      defer { state.notes = [] }
      return state.notes
    }
  }
}

/// A sink that is never called. `World` records its deliveries under its name.
struct NamedSink: AnalyticsSink {
  var name = "test"
  var window = 32_768
  var needsAddressee = false
  var canWithdraw = false
  var isWithdrawnByApps = false
  var whyDisabled: String?
  var onEnable: @Sendable () -> Void = {}

  func enable() { onEnable() }

  func deliver(_ deliveries: [Reminders.Delivery]) async throws(SinkOutage) -> [SinkAnswer] {
    throw SinkOutage("this sink is never called")
  }

  func deliver(_ events: [AnalyticsItem]) async throws(SinkOutage) -> [SinkAnswer] {
    throw SinkOutage("this sink is never called")
  }
}
