import CivilTime
import JSON

/// What the service says of itself.
struct StatusDocument {
  struct Next {
    let reminder: String
    let recipients: Int64
    let at: Instant
  }

  /// What became of events since the start of the service.
  struct Events {
    let accepted: Int64
    /// Refused, or not looked at.
    let turnedAway: Int64
  }

  /// A part of the service that its watchdog watches.
  struct Part {
    let name: String
    /// For how many seconds it has owed a sign of progress, and how many it may.
    let age: Double
    let allowance: Double
    let isVital: Bool
  }

  /// What the store had acknowledged and has no more.
  struct Loss {
    let events: Int64
    let notifications: Int64
    let since: Instant?
    let until: Instant?
  }

  /// Who works on the store beside the node that answers.
  struct Fleet {
    let nodes: Int64
    let silent: Int64
    let gone: Int64
    let draining: Int64
    let shards: Int64
    /// Of the node that answers.
    let own: Int64
    let free: Int64
    let skew: Double?
    let isSkewed: Bool
    let isTrusted: Bool
  }

  let version: String
  let now: Instant
  let started: Instant
  let recipients: Int64
  let pending: Int64
  let due: Int64
  let replanning: Int64
  let deadLetters: Int64
  let next: Next?
  let lanes: [LaneDocument]
  /// The lane of analytics events, beside that of its sink's deliveries.
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
  let storageFailure: String?
  let loss: Loss?
  let erasureOpen: Instant?
  let clockHold: Instant?
  let clockLeap: Instant?
  let reloadFailure: String?
  /// Nil where the store is one process's.
  let fleet: Fleet?

  init(_ document: JSONValue) throws(Failure) {
    version = try document.text("version")
    now = try document.instant("now")
    started = try document.instant("started")
    recipients = try document.number("recipients")
    pending = try document.number("pending")
    due = try document.number("due")
    replanning = try document.number("replanning")
    deadLetters = try document.number("deadLetters")
    next = try document.optional("next") { next throws(Failure) in try Next(next) }
    lanes = try document.list("lanes") { lane throws(Failure) in try LaneDocument(lane) }
    analytics = try document.optional("analytics") { lane throws(Failure) in
      try LaneDocument(lane)
    }
    routes = (document["routes"]?.objectValue ?? [:]).map { route in
      (route.key, (route.value.arrayValue ?? []).compactMap(\.stringValue))
    }
    events = try Events(document["events"] ?? .null)
    lateness = try LatenessCounts(document["lateness"] ?? .null)
    parts = try document.list("watchdog") { part throws(Failure) in try Part(part) }
    catalogs = (document["catalogs"]?.arrayValue ?? []).compactMap(\.stringValue)
    zoneDatabase = try document.text("zoneDatabase")
    defaultZone = try document.text("defaultZone")
    dataWarnings = (document["dataWarnings"]?.arrayValue ?? []).compactMap(\.stringValue)
    storageFailure = document["storageFailure"]?.stringValue
    loss = try document.optional("loss") { loss throws(Failure) in try Loss(loss) }
    erasureOpen = try document.optionalInstant("erasureOpen")
    clockHold = try document.optionalInstant("clockHold")
    clockLeap = try document.optionalInstant("clockLeap")
    reloadFailure = document["reloadFailure"]?.stringValue
    fleet = try document.optional("fleet") { fleet throws(Failure) in try Fleet(fleet) }
  }

  /// "push, email 2": the channels that a sink carries, each with its place if that is not the
  /// first.
  func channels(of sink: String) -> String {
    routes.compactMap { route in
      route.sinks.firstIndex(of: sink).map {
        $0 == 0 ? route.channel : "\(route.channel) \($0 + 1)"
      }
    }.joined(separator: ", ")
  }

  /// For how many seconds the service has been running.
  var uptime: UInt64 { Countdown.seconds(from: started, to: now) }
}

extension StatusDocument.Next {
  fileprivate init(_ next: JSONValue) throws(Failure) {
    reminder = try next.text("reminder")
    recipients = try next.number("recipients")
    at = try next.instant("at")
  }
}

extension StatusDocument.Loss {
  fileprivate init(_ loss: JSONValue) throws(Failure) {
    events = try loss.number("events")
    notifications = try loss.number("notifications")
    since = try loss.optionalInstant("since")
    until = try loss.optionalInstant("until")
  }
}

extension StatusDocument.Fleet {
  fileprivate init(_ fleet: JSONValue) throws(Failure) {
    nodes = try fleet.number("nodes")
    silent = try fleet.number("silent")
    gone = try fleet.number("gone")
    draining = try fleet.number("draining")
    shards = try fleet.number("shards")
    own = try fleet.number("own")
    free = try fleet.number("free")
    skew = fleet["skew"]?.numberValue
    isSkewed = fleet["skewed"] == true
    isTrusted = fleet["trusted"] == true
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
  fileprivate init(_ events: JSONValue) throws(Failure) {
    accepted = try events.number("accepted")
    turnedAway = try events.number("refused") + events.number("unanswered")
  }
}

extension StatusDocument.Part {
  fileprivate init(_ part: JSONValue) throws(Failure) {
    name = try part.text("part")
    age = part["age"]?.numberValue ?? 0
    allowance = part["allowance"]?.numberValue ?? .infinity
    isVital = part["vital"] == true
  }
}

/// What the service says of a sink and of what waits for it.
struct LaneDocument {
  enum Breaker: String {
    case closed
    case open
    case halfOpen = "half_open"
  }

  /// What the sink has said since the start of the service.
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
  let breaker: Breaker
  let failingSince: Instant?
  let nextAttempt: Instant?
  let failure: String?
  let lastFailure: (at: Instant, reason: String)?
  let answers: Answers
  /// How long batches were with it.
  let latency: LatenessCounts

  init(_ lane: JSONValue) throws(Failure) {
    sink = try lane.text("sink")
    isPaused = lane["paused"] == true
    waiting = try lane.number("waiting")
    inFlight = try lane.number("inFlight")
    retrying = try lane.number("retrying")
    deadLetters = try lane.number("deadLetters")
    oldestWaiting = try lane.optionalInstant("oldestWaiting")
    oldestRetry = try lane.optionalInstant("oldestRetry")
    nextRetry = try lane.optionalInstant("nextRetry")
    breaker = try lane.word("breaker")
    failingSince = try lane.optionalInstant("failingSince")
    nextAttempt = try lane.optionalInstant("nextAttempt")
    failure = lane["failure"]?.stringValue
    lastFailure = try lane.optional("lastFailure") { failure throws(Failure) in
      (try failure.instant("at"), try failure.text("reason"))
    }
    answers = try Answers(lane["answers"] ?? .null)
    latency = try LatenessCounts(lane["latency"] ?? .null)
  }

  /// "open for 12 min".
  func breakerText(now: Instant) -> String {
    if isPaused { return "paused" }
    guard breaker != .closed else { return "closed" }
    let state = breaker == .open ? "open" : "half open"
    return state + (failingSince.map { " for \(Countdown.length(from: $0, to: now))" } ?? "")
  }
}

extension LaneDocument.Answers {
  fileprivate init(_ answers: JSONValue) throws(Failure) {
    delivered = try answers.number("delivered")
    retried = try answers.number("retried")
    rejected = try answers.number("rejected")
    outages = try answers.number("outages")
    orphaned = try answers.number("orphaned")
    setAside = try answers.number("setAside")
  }
}

/// How late recipients had their turn, or how long something took, counted between bounds.
struct LatenessCounts: Equatable {
  /// In seconds, ascending.
  var bounds: [Double]
  /// For each bound how many it is the lowest for, and last how many were later than any.
  var counts: [Int64]

  init(bounds: [Double], counts: [Int64]) {
    self.bounds = bounds
    self.counts = counts
  }

  init(_ document: JSONValue) throws(Failure) {
    bounds = (document["bounds"]?.arrayValue ?? []).compactMap(\.numberValue)
    counts = (document["counts"]?.arrayValue ?? []).compactMap(\.integerValue)
    guard counts.count == bounds.count + 1 else {
      throw Failure(
        .protocolError, "the service's answer lacks lateness or latency",
        hint: "chimectl and chimed may be of different versions")
    }
  }

  var count: Int64 { counts.reduce(0, +) }

  /// What was counted since another was.
  func since(_ earlier: LatenessCounts) -> LatenessCounts {
    guard bounds == earlier.bounds else { return self }
    return LatenessCounts(bounds: bounds, counts: zip(counts, earlier.counts).map { $0 - $1 })
  }

  /// A sign for each bound, the higher the more have it for theirs; on a logarithmic scale, for
  /// few that are very late matter beside many that are not.
  var histogram: String {
    let signs = Array("▁▂▃▄▅▆▇█")
    let weights = counts.map { Int64.bitWidth - max($0, 0).leadingZeroBitCount }
    let most = max(weights.max() ?? 0, 1)
    return String(weights.map { $0 == 0 ? " " : signs[($0 * signs.count - 1) / most] })
  }

  /// The lowest bound that a share of them, from 0 to 1, did not exceed; infinite if they exceeded
  /// the last, and nil if there are none.
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
