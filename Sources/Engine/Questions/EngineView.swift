import CivilTime
import Outbox
import Reminders
import Store
import TimerWheel

/// The part of the engine's memory that queries read, as of its last publication.
struct EngineView: Sendable {
  var planner: Planner
  /// The number of previous planners since the start.
  var previousPlanners = 0
  /// The time at which the engine was created.
  var started: Instant
  /// The number of recipients of this process.
  var recipients = 0
  /// The number of pending occurrences of these recipients.
  var pending = 0
  /// The number of due recipients.
  var due = 0
  /// The number of recipients to be replanned.
  var stale = 0
  /// The number of recipients set aside because their planning exceeded its bound.
  var setAside = 0
  /// The zones that the tz database has lost, with the numbers of their recipients.
  var lostZones = LostZones()
  /// The first instants at which recipients are due.
  var next: [NextDue.Value] = []
  var lanes: [LaneView] = []
  /// The lanes of analytics events, by their routes.
  var analytics: [AnalyticsRoute: LaneView] = [:]
  var routes = Routes([:])
  /// The reason why the store rejects writes; nil while it accepts them.
  var storageFailure: String?
  /// Acknowledged data that the store has lost; nil if nothing is missing.
  var loss: StoreLoss?
  /// Since when data of an erased recipient may be readable in the store's files; nil if the files
  /// contain no such data.
  var erasureOpen: Instant?
  /// The time of the newest record, while the clock is behind it and nothing fires; nil otherwise.
  var clockHold: Instant?
  /// How far the wall clock is ahead of the trusted time; nil if the wall clock is trusted.
  var clockLead: TimeSpan?
  /// Counters since the start.
  var counters = EngineCounters()
  /// The durations of commits, in seconds.
  var commits = Histogram(bounds: [])
  /// The retention; nil if no retention is set.
  var retention: Retention?
  /// When retention last examined every row; before the first time, the start of the service.
  var retentionEnd: Instant?
  var leaps = TrustedLeaps()
  var ownership = Ownership.all
}

/// The published state of a lane, which is the queue of one sink.
struct LaneView: Sendable {
  let sink: any Sink
  var isPaused: Bool
  var breaker: Breaker
  /// Recorded deliveries that the sink has not answered, without retries; 0 for analytics events.
  var waiting: Int
  /// Dispatched deliveries or analytics events that the sink has not answered.
  var inFlight: Int
  /// The cursor: every notification or analytics event up to this number is answered.
  var cursor: Int64
  /// When the gates passed the first unanswered delivery in memory; nil if there is none.
  var oldest: Instant?
  /// When the next retry is due; nil if there is none.
  var nextRetry: Instant?
  /// When and why the sink last did not accept a delivery; nil if that has not happened.
  var lastFailure: SinkFailure?
  /// Counters of the sink's answers since the start.
  var answers: LaneCounters

  /// Whether the sink could not be created and waits for a reload.
  var isUnavailable: Bool { sink.whyUnavailable != nil }

  /// The reason why the sink sends nothing, and the remedy; nil while it sends.
  var failure: String? {
    sink.whyUnavailable ?? sink.whyDisabled.map { "disabled: \($0)" } ?? breaker.failure
  }
}

extension EngineCore {
  /// Publishes the engine's state. An engine cycle publishes twice: at its end, and before it
  /// answers requests, so that callers see the effects of their requests.
  func publish(now: Instant) {
    schedule.updateNext(now: now)
    let lanes = outbox.laneViews
    published.note(lanes, at: now)
    published.view = EngineView(
      planner: planner, previousPlanners: planning.previousCount, started: started,
      recipients: schedule.recipients, pending: schedule.pending, due: schedule.due.count,
      stale: schedule.stale.count,
      setAside: firing.setAside.count, lostZones: planning.lostZones,
      next: schedule.next.values, lanes: lanes, analytics: outbox.analyticsViews,
      routes: outbox.dispatcher.routes,
      storageFailure: storageFailure, loss: store.loss, erasureOpen: store.erasureOpen,
      clockHold: clock.hold, clockLead: clock.leap.map { $0 - now }, counters: counters,
      commits: store.commitTimes, retention: maintenance.pruning.retention,
      retentionEnd: maintenance.pruning.lastEnd, leaps: clock.leaps, ownership: shards.ownership)
  }
}

extension EngineOutbox {
  fileprivate var laneViews: [LaneView] { dispatcher.lanes.compactMap(view) }

  fileprivate var analyticsViews: [AnalyticsRoute: LaneView] {
    dispatcher.analytics.compactMapValues(view)
  }

  private func view(of state: LaneState) -> LaneView? {
    guard let sink = sinks[state.number] else { return nil }
    let lane = state.lane
    return LaneView(
      sink: sink, isPaused: dispatcher.paused.contains(state.sink), breaker: lane.breaker,
      waiting: lane.waiting, inFlight: state.inFlightCount,
      cursor: lane.cursor, oldest: lane.oldest, nextRetry: state.nextRetry,
      lastFailure: state.lastFailure, answers: state.answers)
  }

  private func view(of lane: AnalyticsLane) -> LaneView? {
    guard let sink = sinks[lane.number] else { return nil }
    return LaneView(
      sink: sink, isPaused: dispatcher.paused.contains(lane.sink), breaker: lane.breaker,
      waiting: 0, inFlight: lane.batch.count, cursor: lane.cursor, nextRetry: lane.retry,
      lastFailure: lane.lastFailure, answers: lane.answers)
  }
}
