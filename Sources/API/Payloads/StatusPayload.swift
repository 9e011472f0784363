import Access
package import CivilTime
package import Engine
import JSON
import Outbox
import Reminders
package import Store

package struct StatusPayload: Payload {
  package typealias Value = ServiceStatus
  package static let shape = PayloadShape(Self(), as: .status)

  package let version = Member("version", .text) { _ in Version.current }
  package let now = Member("now", .instant) { $0.now }
  package let started = Member("started", .instant) { $0.started }
  package let recipients = Member("recipients", .count) { $0.recipients }
  package let pending = Member("pending", .count) { $0.pending }
  package let due = Member("due", .count, "Recipients that are due") { $0.due }
  package let recipientsSetAside = Member(
    "recipientsSetAside", .count, "Recipients whose planning does not end; the journal names them"
  ) { $0.recipientsSetAside }
  package let replanning = Member("replanning", .count, "Recipients that wait for a replan") {
    $0.replanning
  }
  package let deadLetters = Member(
    "deadLetters", .count, "Dead letters, up to 10,000, including those of removed sinks"
  ) { $0.deadLetters }
  package let next = Member(
    "next", .list(.payload(NextPayload.self)),
    "The next reminders to be sent on this node, in order. At each of the first due instants, the "
      + "gates of at most eight recipients are evaluated. The list ends early if a burst takes too "
      + "long to count"
  ) { $0.next }
  package let lanes = Member("lanes", .list(.payload(LanePayload.self))) { $0.lanes }
  package let analytics = Member(
    "analytics", orNull: .payload(LanePayload.self),
    "The lane of analytics events; waiting is at most 10,000, also if there are more"
  ) { $0.analytics }
  package let outcomes = Member(
    "outcomes", orNull: .payload(LanePayload.self),
    "The lane of outcomes, if they have a route of their own; waiting is at most 10,000"
  ) { $0.outcomes }
  package let routes = Member(
    "routes", .table(of: .list(.text), routesSchema),
    "The sinks of each channel, in order of fallback, of analytics and of outcomes"
  ) { $0.routes.sinksByName }
  package let events = Member(
    "events", .payload(EventCountsPayload.self), "Outcomes of events since the start"
  ) { $0.counters }
  package let lateness = Member(
    "lateness", .payload(HistogramPayload.self),
    "Seconds from a recipient's due instant to the engine cycle that processed it"
  ) { $0.counters.lateness }
  package let watchdog = Member("watchdog", .list(.payload(WatchedPayload.self))) { $0.parts }
  package let catalogs = Member("catalogs", .list(.text)) { $0.catalogs }
  package let zoneDatabase = Member("zoneDatabase", .text) { $0.zoneDatabase }
  package let defaultZone = Member("defaultZone", .text) { $0.defaultZone }
  package let dataWarnings = Member(
    "dataWarnings", .list(.text),
    "Holidays that end within a year, an old tz database, and zones missing from it"
  ) { $0.dataWarnings }
  package let endingTokens = Member(
    "endingTokens", .list(.payload(EndingTokenPayload.self)),
    "Tokens of apps with a lifetime of more than a day that expire within 14 days (or within half "
      + "their lifetime, if shorter), or expired in the last 14 days, until they are revoked"
  ) { status in status.endingTokens.map { EndingTokenPayload.Value(token: $0, now: status.now) } }
  package let storeBytes = Member("storeBytes", .count, "The size of the store on disk") {
    Int($0.storeSize)
  }
  package let diskUse = Member(
    "diskUse", optional: .number, "The used share of the store's file system, from 0 to 1"
  ) { $0.diskUse }
  package let setAside = Member(
    "setAside", .list(.text),
    "Files of replaced stores and damaged logs beside the store; they may contain data of "
      + "recipients erased since"
  ) { $0.setAsideFiles }
  package let fleet = Member(
    "fleet", orNull: .payload(FleetSummaryPayload.self), "Null unless the store is in PostgreSQL"
  ) { $0.fleet }
  package let storageFailure = Member(
    "storageFailure", orNull: .text, "Why writes fail; events are rejected meanwhile"
  ) { $0.storageFailure }
  package let loss = Member(
    "loss", orNull: .payload(LossPayload.self), "Acknowledged data that the store has lost"
  ) { $0.loss }
  package let erasureOpen = Member(
    "erasureOpen", orNull: .instant,
    "Since when data of an erased recipient may remain in the store's files"
  ) { $0.erasureOpen }
  package let clockHold = Member(
    "clockHold", orNull: .instant,
    "The newest recorded time, while the clock is behind it and nothing fires"
  ) { $0.clockHold }
  package let clockLeap = Member(
    "clockLeap", orNull: .instant,
    "The clock's time after a leap ahead, while it is not trusted and nothing is sent"
  ) { $0.clockLeap }
  package let reloadFailure = Member(
    "reloadFailure", orNull: .text,
    "Why the last reload or the start rejected the configuration files"
  ) { $0.reloadFailure }
  package let audit = Member(
    "audit", optional: .payload(AuditSummaryPayload.self),
    "The result of the latest nightly audit; absent if there was none since the start"
  ) { $0.audit }
  package let outdatedSinks = Member(
    "outdatedSinks", .list(.text),
    "Sinks that continue with their former settings, because the last reload could not create them "
      + "with the new ones; a sentence each"
  ) { $0.outdatedSinks }

  private static let routesSchema = Schema.object(
    (Channel.allCases.map(\.name) + AnalyticsRoute.allCases.map(\.rawValue))
      .map { .optional($0, .list(.text)) })
}

extension Routes {
  /// The sinks of each channel in order of fallback, and the sinks of analytics events and
  /// outcomes.
  fileprivate var sinksByName: [(key: String, value: [String])] {
    let channelSinks = Channel.allCases.compactMap { channel in
      sinks[channel].flatMap { $0.isEmpty ? nil : (key: channel.name, value: $0) }
    }
    let others = AnalyticsRoute.allCases.compactMap { route in
      sink(of: route).map { (key: route.rawValue, value: [$0]) }
    }
    return channelSinks + others
  }
}

package struct NextPayload: Payload {
  package typealias Value = ServiceStatus.Next
  package static let shape = PayloadShape(Self())

  package let reminder = Member("reminder", .text, "The reminder of one of the recipients") {
    $0.reminder
  }
  package let recipients = Member("recipients", .count, "Recipients whose gates pass") {
    $0.recipients
  }
  package let more = Member(
    "more", optional: .boolean,
    "True if more recipients may be sent something at that instant; their gates were not evaluated"
  ) { $0.hasMore ? true : nil }
  package let at = Member("at", .instant) { $0.at }
}

package struct EndingTokenPayload: Payload {
  /// A token, and the instant for which its state is shown.
  package struct Value {
    let token: EndingToken
    let now: Instant
  }

  package static let shape = PayloadShape(Self())

  package let id = Member("id", .text) { $0.token.identifier }
  package let name = Member("name", .text) { $0.token.name }
  package let scope = Member("scope", .text.example("admin")) { $0.token.scope.text }
  package let expires = Member("expires", .instant) { $0.token.expiry }
  package let expired = Member("expired", .boolean) { $0.token.isExpired(at: $0.now) }
  package let successor = Member(
    "successor", .text.example("chimectl token create backend --scope admin"),
    "The command line that creates the token's successor"
  ) { $0.token.successor }
}

package struct LossPayload: Payload {
  package typealias Value = StoreLoss
  package static let shape = PayloadShape(Self())

  package let events = Member("events", .count) { Int($0.events) }
  package let notifications = Member("notifications", .count) { Int($0.notifications) }
  package let since = Member("since", orNull: .instant, "When the last remaining event arrived") {
    $0.since
  }
  package let until = Member("until", orNull: .instant, "When the last lost event was acknowledged")
  {
    $0.until
  }
}

package struct EventCountsPayload: Payload {
  package typealias Value = EngineCounters
  package static let shape = PayloadShape(Self())

  package let accepted = Member("accepted", .count) { $0.accepted }
  package let duplicate = Member("duplicate", .count) { $0.duplicates }
  package let refused = Member("refused", .count) { $0.refused }
  package let unanswered = Member(
    "unanswered", .count,
    "Neither accepted nor refused: writes failed, the clock was behind, the service stopped or may "
      + "not act, or another node owns the recipient; apps report these events again"
  ) { $0.unanswered }
}

package struct WatchedPayload: Payload {
  package typealias Value = ServiceStatus.Part
  package static let shape = PayloadShape(Self())

  package let part = Member("part", .text) { $0.name }
  package let age = Member("age", .seconds, "Seconds since the part's last progress; 0 at rest") {
    $0.secondsWithoutProgress
  }
  package let allowance = Member("allowance", .seconds, "The limit of the age") { $0.allowance }
  package let vital = Member("vital", .boolean, "Whether the service restarts at this limit") {
    $0.isVital
  }
}
