import API
import CivilTime
import JSON

/// The decoded /v1/status document.
struct StatusDocument {
  /// The next notifications that will be sent at one instant.
  struct Next {
    /// The reminder of one of the recipients.
    let reminder: String
    /// The number of recipients whose gates pass at the instant.
    let recipients: Int64
    /// Whether more recipients may be sent a notification at the instant.
    let hasMore: Bool
    let at: Instant
  }

  /// The numbers of events since the start of the service, by result.
  struct Events {
    let accepted: Int64
    /// The events that were rejected, or answered 503.
    let unaccepted: Int64
  }

  /// A part of the service that the watchdog supervises.
  struct Part {
    let name: String
    /// Seconds since the part's last progress; 0 while the part is idle.
    let secondsWithoutProgress: Double
    /// The limit of `secondsWithoutProgress`.
    let secondsAllowed: Double
    /// Whether the service restarts at the limit.
    let isVital: Bool
  }

  struct EndingToken {
    let id: String
    let name: String
    let expires: Instant
    let isExpired: Bool
    /// The command line that creates the token's successor.
    let successor: String
  }

  /// Acknowledged data that the store has lost.
  struct Loss {
    let events: Int64
    let notifications: Int64
    /// When the last remaining event arrived; nil if it is unknown.
    let since: Instant?
    /// When the last lost event was acknowledged; nil if it is unknown.
    let until: Instant?
  }

  /// The result of a nightly audit.
  struct Audit {
    /// The end of the audited day.
    let until: Instant
    /// The number of audited recipients.
    let recipients: Int64
    /// The number of recipients with a difference that the record does not explain.
    let differences: Int64
    /// The number of recipients whose first disagreement the record explains.
    let excused: Int64

    fileprivate init(_ audit: Answer<AuditSummaryPayload>) throws(CommandError) {
      until = try audit.until
      recipients = try audit.audited
      differences = try audit.differences
      excused = try audit.excused
    }
  }

  /// A summary of the fleet, as the replying node sees it.
  struct Fleet {
    /// The number of members.
    let nodes: Int64
    /// The number of members whose last heartbeat is older than a lease, so that other nodes may
    /// take over.
    let silent: Int64
    /// The number of members whose session has ended.
    let gone: Int64
    /// The number of members that give their shards away.
    let draining: Int64
    /// The number of shards of the store.
    let shards: Int64
    /// The number of shards of the replying node.
    let ownShards: Int64
    /// The number of shards without an owner.
    let free: Int64
    /// The number of nodes that claim free shards.
    let takers: Int64
    /// Settings that differ between nodes.
    let differences: [String]
    /// How far the replying node's clock is ahead of PostgreSQL's, in seconds; nil if it is
    /// unknown.
    let skew: Double?
    /// Whether the skew is large enough to warn operators.
    let isSkewed: Bool
    /// Whether the replying node may act as the owner of its shards.
    let isTrusted: Bool
    let troubles: NodeTroubles
  }

  let version: String
  let now: Instant
  /// When the service started.
  let started: Instant
  /// The number of recipients with stored facts.
  let recipients: Int64
  /// The number of pending occurrences.
  let pending: Int64
  /// The number of recipients that are due.
  let due: Int64
  /// The number of recipients that wait for a replan.
  let replanning: Int64
  /// The number of dead letters of all sinks, up to 10,000.
  let deadLetters: Int64
  /// The next occurrences, the earliest first.
  let next: [Next]
  let lanes: [LaneDocument]
  /// The lane (queue) of analytics events, in addition to the sink's lane of deliveries.
  let analytics: LaneDocument?
  /// The lane of outcomes, if they have a route of their own.
  let outcomes: LaneDocument?
  /// The names of the sinks of each channel, in order of fallback.
  let routes: [(channel: String, sinks: [String])]
  let events: Events
  /// How late recipients' due instants were processed since the start of the service.
  let lateness: DurationHistogram
  /// The parts that the watchdog supervises.
  let parts: [Part]
  let catalogs: [String]
  /// The version of the tz database.
  let zoneDatabase: String
  let defaultZone: String
  /// Warnings about holidays and time zones that are missing, old, or end within a year.
  let dataWarnings: [String]
  /// The tokens of apps that expire soon or have expired.
  let endingTokens: [EndingToken]
  /// The names of the remaining files of replaced or damaged stores.
  let remainingFiles: [String]
  /// Why nothing can be written; nil if writes succeed.
  let storageFailure: String?
  /// The used share of the store's file system, from 0 to 1; nil if it is unknown.
  let diskUse: Double?
  let loss: Loss?
  /// When the oldest unfinished erasure began; nil if there is none.
  let unfinishedErasureStart: Instant?
  /// The newest recorded time, if the clock is behind that time, so that nothing fires; otherwise
  /// nil.
  let clockHold: Instant?
  /// The clock's time after a forward jump that the service does not trust yet; otherwise nil.
  let clockLeap: Instant?
  /// Why the last reload or the start rejected the configuration; nil if neither did.
  let reloadFailure: String?
  /// A sentence for each sink that continues with its former settings.
  let outdatedSinks: [String]
  /// The result of the latest nightly audit; nil if there was none since the start.
  let audit: Audit?
  /// The fleet; nil unless the store is in PostgreSQL.
  let fleet: Fleet?

  init(_ document: JSONValue) throws(CommandError) {
    let status = Answer<StatusPayload>(document)
    version = try status.version
    now = try status.now
    started = try status.started
    recipients = try status.recipients
    pending = try status.pending
    due = try status.due
    replanning = try status.replanning
    deadLetters = try status.deadLetters
    next = try status.next.map { next throws(CommandError) in try Next(next) }
    lanes = try status.lanes.map { lane throws(CommandError) in try LaneDocument(lane) }
    analytics = try status.analytics.map { lane throws(CommandError) in try LaneDocument(lane) }
    outcomes = try status.outcomes.map { lane throws(CommandError) in try LaneDocument(lane) }
    routes = try status.routes.map { ($0.key, $0.value) }
    events = try Events(status.events)
    lateness = try DurationHistogram(status.lateness)
    parts = try status.watchdog.map { part throws(CommandError) in try Part(part) }
    catalogs = try status.catalogs
    zoneDatabase = try status.zoneDatabase
    defaultZone = try status.defaultZone
    dataWarnings = try status.dataWarnings
    endingTokens = try status.endingTokens.map { token throws(CommandError) in
      try EndingToken(token)
    }
    remainingFiles = try status.setAside
    storageFailure = try status.storageFailure
    diskUse = try status.diskUse
    loss = try status.loss.map { loss throws(CommandError) in try Loss(loss) }
    unfinishedErasureStart = try status.erasureOpen
    clockHold = try status.clockHold
    clockLeap = try status.clockLeap
    reloadFailure = try status.reloadFailure
    outdatedSinks = try status.outdatedSinks
    audit = try status.audit.map { audit throws(CommandError) in try Audit(audit) }
    fleet = try status.fleet.map { fleet throws(CommandError) in try Fleet(fleet) }
  }

  /// Returns the channels of a sink, such as "push, email 2". The number is the sink's position in
  /// the channel's route; it is left out if the sink is first.
  func channels(of sink: String) -> String {
    routes.compactMap { route in
      route.sinks.firstIndex(of: sink).map {
        $0 == 0 ? route.channel : "\(route.channel) \($0 + 1)"
      }
    }.joined(separator: ", ")
  }

  /// The service's running time, in seconds.
  var uptime: UInt64 { TimeDistance.seconds(from: started, to: now) }
}

extension StatusDocument.Next {
  fileprivate init(_ next: Answer<NextPayload>) throws(CommandError) {
    reminder = try next.reminder
    recipients = try next.recipients
    hasMore = try next.more ?? false
    at = try next.at
  }
}

extension StatusDocument.Loss {
  fileprivate init(_ loss: Answer<LossPayload>) throws(CommandError) {
    events = try loss.events
    notifications = try loss.notifications
    since = try loss.since
    until = try loss.until
  }
}

extension StatusDocument.Fleet {
  fileprivate init(_ fleet: Answer<FleetSummaryPayload>) throws(CommandError) {
    nodes = try fleet.nodes
    silent = try fleet.silent
    gone = try fleet.gone
    draining = try fleet.draining
    shards = try fleet.shards
    ownShards = try fleet.own
    free = try fleet.free
    takers = try fleet.takers
    differences = try fleet.differences
    skew = try fleet.trust.skew
    isSkewed = try fleet.trust.skewed
    isTrusted = try fleet.trust.trusted
    troubles = try NodeTroubles(fleet.troubles)
  }

  /// A text such as "22 of 64 shards, 3 nodes, 1 draining".
  var text: String {
    let others = [(draining, "draining"), (silent, "silent"), (gone, "gone")]
      .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    let parts = ["\(ownShards) of \(shards) shards", nodes == 1 ? "1 node" : "\(nodes) nodes"]
    return (parts + others).joined(separator: ", ")
  }
}

extension StatusDocument.Events {
  fileprivate init(_ events: Answer<EventCountsPayload>) throws(CommandError) {
    accepted = try events.accepted
    unaccepted = try events.refused + events.unanswered
  }
}

extension StatusDocument.EndingToken {
  fileprivate init(_ token: Answer<EndingTokenPayload>) throws(CommandError) {
    id = try token.id
    name = try token.name
    expires = try token.expires
    isExpired = try token.expired
    successor = try token.successor
  }
}

extension StatusDocument.Part {
  fileprivate init(_ part: Answer<WatchedPayload>) throws(CommandError) {
    name = try part.part
    secondsWithoutProgress = try part.age
    secondsAllowed = try part.allowance
    isVital = try part.vital
  }
}
