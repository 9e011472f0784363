import API
import CivilTime
import JSON
import Outbox

/// The decoded /v1/status document.
struct StatusDocument {
  struct Next {
    let reminder: String
    let recipients: Int64
    /// Whether there may be more recipients.
    let hasMore: Bool
    let at: Instant
  }

  /// The results of events since the start of the service.
  struct Events {
    let accepted: Int64
    /// Rejected, or not answered (503).
    let turnedAway: Int64
  }

  /// A subsystem under the watchdog.
  struct Part {
    let name: String
    /// The time since its note was due, and the limit of that, in seconds.
    let age: Double
    let allowance: Double
    let isVital: Bool
  }

  struct EndingToken {
    let id: String
    let name: String
    let expires: Instant
    let isExpired: Bool
    /// The command line that creates its successor.
    let successor: String
  }

  /// Acknowledged data that the store has lost.
  struct Loss {
    let events: Int64
    let notifications: Int64
    let since: Instant?
    let until: Instant?
  }

  /// Summary of the fleet, as seen by the replying node.
  struct Fleet {
    let nodes: Int64
    let silent: Int64
    let gone: Int64
    let draining: Int64
    let shards: Int64
    /// The number of shards of the replying node.
    let own: Int64
    let free: Int64
    /// The number of nodes that take free shards.
    let takers: Int64
    /// Settings that differ between nodes.
    let differences: [String]
    let skew: Double?
    let isSkewed: Bool
    let isTrusted: Bool
    let troubles: NodeTroubles
  }

  let version: String
  let now: Instant
  let started: Instant
  let recipients: Int64
  let pending: Int64
  let due: Int64
  let replanning: Int64
  let deadLetters: Int64
  /// The first is the next.
  let next: [Next]
  let lanes: [LaneDocument]
  /// The lane of analytics events, in addition to the sink's lane of deliveries.
  let analytics: LaneDocument?
  /// The names of the sinks of each channel, in order of fallback.
  let routes: [(channel: String, sinks: [String])]
  let events: Events
  let lateness: LatenessCounts
  let parts: [Part]
  let catalogs: [String]
  let zoneDatabase: String
  let defaultZone: String
  let dataWarnings: [String]
  /// The tokens of apps that expire soon or have expired.
  let endingTokens: [EndingToken]
  /// The names of the remaining files of replaced or damaged stores.
  let setAside: [String]
  let storageFailure: String?
  /// The used share of the store's file system, from 0 to 1; nil if it is unknown.
  let diskUse: Double?
  let loss: Loss?
  let erasureOpen: Instant?
  let clockHold: Instant?
  let clockLeap: Instant?
  let reloadFailure: String?
  /// Nil without a fleet.
  let fleet: Fleet?

  init(_ document: JSONValue) throws(Failure) {
    let status = Answer<StatusPayload>(document)
    version = try status.version
    now = try status.now
    started = try status.started
    recipients = try status.recipients
    pending = try status.pending
    due = try status.due
    replanning = try status.replanning
    deadLetters = try status.deadLetters
    next = try status.next.map { next throws(Failure) in try Next(next) }
    lanes = try status.lanes.map { lane throws(Failure) in try LaneDocument(lane) }
    analytics = try status.analytics.map { lane throws(Failure) in try LaneDocument(lane) }
    routes = try status.routes.map { ($0.key, $0.value) }
    events = try Events(status.events)
    lateness = try LatenessCounts(status.lateness)
    parts = try status.watchdog.map { part throws(Failure) in try Part(part) }
    catalogs = try status.catalogs
    zoneDatabase = try status.zoneDatabase
    defaultZone = try status.defaultZone
    dataWarnings = try status.dataWarnings
    endingTokens = try status.endingTokens.map { token throws(Failure) in try EndingToken(token) }
    setAside = try status.setAside
    storageFailure = try status.storageFailure
    diskUse = try status.diskUse
    loss = try status.loss.map { loss throws(Failure) in try Loss(loss) }
    erasureOpen = try status.erasureOpen
    clockHold = try status.clockHold
    clockLeap = try status.clockLeap
    reloadFailure = try status.reloadFailure
    fleet = try status.fleet.map { fleet throws(Failure) in try Fleet(fleet) }
  }

  /// "push, email 2": the channels of a sink, with its fallback position from 2 on.
  func channels(of sink: String) -> String {
    routes.compactMap { route in
      route.sinks.firstIndex(of: sink).map {
        $0 == 0 ? route.channel : "\(route.channel) \($0 + 1)"
      }
    }.joined(separator: ", ")
  }

  /// The service's running time, in seconds.
  var uptime: UInt64 { Countdown.seconds(from: started, to: now) }
}

extension StatusDocument.Next {
  fileprivate init(_ next: Answer<NextPayload>) throws(Failure) {
    reminder = try next.reminder
    recipients = try next.recipients
    hasMore = try next.more ?? false
    at = try next.at
  }
}

extension StatusDocument.Loss {
  fileprivate init(_ loss: Answer<LossPayload>) throws(Failure) {
    events = try loss.events
    notifications = try loss.notifications
    since = try loss.since
    until = try loss.until
  }
}

extension StatusDocument.Fleet {
  fileprivate init(_ fleet: Answer<FleetSummaryPayload>) throws(Failure) {
    nodes = try fleet.nodes
    silent = try fleet.silent
    gone = try fleet.gone
    draining = try fleet.draining
    shards = try fleet.shards
    own = try fleet.own
    free = try fleet.free
    takers = try fleet.takers
    differences = try fleet.differences
    skew = try fleet.trust.skew
    isSkewed = try fleet.trust.skewed
    isTrusted = try fleet.trust.trusted
    troubles = try NodeTroubles(fleet.troubles)
  }

  /// "22 of 64 shards, 3 nodes, 1 draining".
  var text: String {
    let others = [(draining, "draining"), (silent, "silent"), (gone, "gone")]
      .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    let parts = ["\(own) of \(shards) shards", nodes == 1 ? "1 node" : "\(nodes) nodes"]
    return (parts + others).joined(separator: ", ")
  }
}

extension StatusDocument.Events {
  fileprivate init(_ events: Answer<EventCountsPayload>) throws(Failure) {
    accepted = try events.accepted
    turnedAway = try events.refused + events.unanswered
  }
}

extension StatusDocument.EndingToken {
  fileprivate init(_ token: Answer<EndingTokenPayload>) throws(Failure) {
    id = try token.id
    name = try token.name
    expires = try token.expires
    isExpired = try token.expired
    successor = try token.successor
  }
}

extension StatusDocument.Part {
  fileprivate init(_ part: Answer<WatchedPayload>) throws(Failure) {
    name = try part.part
    age = try part.age
    allowance = try part.allowance
    isVital = try part.vital
  }
}

/// The status of a sink's lane.
struct LaneDocument {
  /// The counted results of the sink since the start of the service.
  struct Answers {
    var delivered: Int64 = 0
    var retried: Int64 = 0
    var rejected: Int64 = 0
    var outages: Int64 = 0
    var orphaned: Int64 = 0
    var setAside: Int64 = 0
  }

  let sink: String
  let isPaused: Bool
  let waiting: Int64
  let inFlight: Int64
  let retrying: Int64
  let deadLetters: Int64
  let oldestWaiting: Instant?
  let oldestRetry: Instant?
  let nextRetry: Instant?
  let breaker: BreakerState
  let failingSince: Instant?
  let nextAttempt: Instant?
  let failure: String?
  /// Whether the sink could not be made; it is made again by a reload only.
  let isUnavailable: Bool
  let lastFailure: (at: Instant, reason: String)?
  let answers: Answers
  /// The latency of batches.
  let latency: LatenessCounts

  init(_ lane: Answer<LanePayload>) throws(Failure) {
    sink = try lane.sink
    isPaused = try lane.paused
    waiting = try lane.waiting
    inFlight = try lane.inFlight
    retrying = try lane.retrying
    deadLetters = try lane.deadLetters
    oldestWaiting = try lane.oldestWaiting
    oldestRetry = try lane.oldestRetry
    nextRetry = try lane.nextRetry
    breaker = try lane.breaker
    failingSince = try lane.failingSince
    nextAttempt = try lane.nextAttempt
    failure = try lane.failure
    isUnavailable = try lane.unavailable ?? false
    lastFailure = try lane.lastFailure.map { failure throws(Failure) in
      (try failure.at, try failure.reason)
    }
    answers = try Answers(lane.answers)
    latency = try LatenessCounts(lane.latency)
  }

  /// Whether the sink is down or disabled.
  var isFailing: Bool { breaker != .closed || isDisabled }

  /// Whether the sink rejects everything, so that its breaker stays closed.
  var isDisabled: Bool { breaker == .closed && failure != nil }

  /// "open for 12 min".
  func breakerText(now: Instant) -> String {
    if isPaused { return "paused" }
    guard breaker != .closed else { return isDisabled ? "disabled" : "closed" }
    let state = breaker == .open ? "open" : "half open"
    return state + (failingSince.map { " for \(Countdown.length(from: $0, to: now))" } ?? "")
  }
}

extension LaneDocument.Answers {
  fileprivate init(_ answers: Answer<SinkAnswersPayload>) throws(Failure) {
    delivered = try answers.delivered
    retried = try answers.retried
    rejected = try answers.rejected
    outages = try answers.outages
    orphaned = try answers.orphaned
    setAside = try answers.setAside
  }
}

/// A histogram of lateness or latency.
struct LatenessCounts: Equatable {
  /// In seconds, ascending.
  var bounds: [Double]
  /// The number of values in each bucket, up to its bound; the last bucket has the values beyond
  /// all bounds.
  var counts: [Int64]

  init(bounds: [Double], counts: [Int64]) {
    self.bounds = bounds
    self.counts = counts
  }

  init(_ document: JSONValue) throws(Failure) {
    try self.init(Answer<HistogramPayload>(document))
  }

  init(_ histogram: Answer<HistogramPayload>) throws(Failure) {
    bounds = try histogram.bounds
    counts = try histogram.counts
    guard counts.count == bounds.count + 1 else { throw Failure(lacking: "lateness or latency") }
  }

  var count: Int64 { counts.reduce(0, +) }

  /// The values counted since an earlier histogram.
  func since(_ earlier: LatenessCounts) -> LatenessCounts {
    guard bounds == earlier.bounds else { return self }
    return LatenessCounts(bounds: bounds, counts: zip(counts, earlier.counts).map { $0 - $1 })
  }

  /// A sparkline with a sign for each bucket. The scale is logarithmic, because a few very late
  /// values matter among many punctual ones.
  var histogram: String {
    let signs = Array("▁▂▃▄▅▆▇█")
    let weights = counts.map { Int64.bitWidth - max($0, 0).leadingZeroBitCount }
    let most = max(weights.max() ?? 0, 1)
    return String(weights.map { $0 == 0 ? " " : signs[($0 * signs.count - 1) / most] })
  }

  /// The upper bound of a quantile from 0 to 1; infinite if it is beyond the last bound, nil
  /// without values.
  func bound(of share: Double) -> Double? {
    let rank = max(1, Int64((share * Double(count)).rounded(.up)))
    var below: Int64 = 0
    for (bound, count) in zip(bounds + [.infinity], counts) {
      below += count
      if below >= rank { return bound }
    }
    return nil
  }

  /// "≤ 5 ms", "≤ 10 min", "> 12 h", or a dash.
  func text(of share: Double) -> String {
    guard let bound = bound(of: share) else { return "-" }
    guard bound.isFinite else { return "> " + Self.length(bounds.last ?? 0) }
    return "≤ " + Self.length(bound)
  }

  private static func length(_ seconds: Double) -> String {
    if seconds < 1 { return "\(Int((seconds * 1_000).rounded())) ms" }
    guard let whole = UInt64(exactly: seconds) else { return "\(seconds) s" }
    return Countdown.length(whole)
  }
}
