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
  package let due = Member("due", .count, "Recipients whose instant has come") { $0.due }
  package let recipientsSetAside = Member(
    "recipientsSetAside", .count, "Recipients whose planning did not end; the journal names them"
  ) { $0.recipientsSetAside }
  package let replanning = Member("replanning", .count, "Recipients who are to be planned anew") {
    $0.replanning
  }
  package let deadLetters = Member("deadLetters", .count) { $0.deadLetters }
  package let next = Member(
    "next", .list(.payload(NextPayload.self)),
    "The first reminders that will go out, in order, as the gates decide them for one recipient at "
      + "each of the first due instants; of a fleet, this node's. The list may end before a crowd"
  ) { $0.next }
  package let lanes = Member("lanes", .list(.payload(LanePayload.self))) { $0.lanes }
  package let analytics = Member(
    "analytics", orNull: .payload(LanePayload.self),
    "The lane of analytics events, beside its sink's; 10,000 that wait are as many or more"
  ) { $0.analytics }
  package let routes = Member(
    "routes", .table(of: .list(.text), routesSchema),
    "Which sinks carry each channel, in order of fallback, and analytics"
  ) { $0.routes.named }
  package let events = Member(
    "events", .payload(EventCountsPayload.self), "What became of events since the start"
  ) { $0.counters }
  package let lateness = Member(
    "lateness", .payload(HistogramPayload.self), "How late recipients had their turn, in seconds"
  ) { $0.counters.lateness }
  package let watchdog = Member("watchdog", .list(.payload(WatchedPayload.self))) { $0.parts }
  package let catalogs = Member("catalogs", .list(.text)) { $0.catalogs }
  package let zoneDatabase = Member("zoneDatabase", .text) { $0.zoneDatabase }
  package let defaultZone = Member("defaultZone", .text) { $0.defaultZone }
  package let dataWarnings = Member(
    "dataWarnings", .list(.text),
    "Holidays that end within a year, a tz database that is old, and zones that it has lost"
  ) { $0.dataWarnings }
  package let storeBytes = Member("storeBytes", .count, "What the store takes on disk") {
    Int($0.storeSize)
  }
  package let diskUse = Member(
    "diskUse", optional: .number, "The used share of the store's file system, from 0 to 1"
  ) { $0.diskUse }
  package let setAside = Member(
    "setAside", .list(.text),
    "What lies beside the store and holds what it was before, also of who was erased since: stores "
      + "that were replaced, and logs that were damaged"
  ) { $0.setAside }
  package let fleet = Member(
    "fleet", orNull: .payload(FleetSummaryPayload.self), "Null unless the store is in PostgreSQL"
  ) { $0.fleet }
  package let storageFailure = Member(
    "storageFailure", orNull: .text, "Why nothing can be written, and nothing is taken in"
  ) { $0.storageFailure }
  package let loss = Member(
    "loss", orNull: .payload(LossPayload.self), "What had been acknowledged and is gone"
  ) { $0.loss }
  package let erasureOpen = Member(
    "erasureOpen", orNull: .instant,
    "Since when somebody is erased who may still be read in the store's files"
  ) { $0.erasureOpen }
  package let clockHold = Member(
    "clockHold", orNull: .instant,
    "What was recorded last, while the clock is behind that and nothing fires"
  ) { $0.clockHold }
  package let clockLeap = Member(
    "clockLeap", orNull: .instant,
    "What the clock says since it leapt ahead, while that is not believed and nothing goes out"
  ) { $0.clockLeap }
  package let reloadFailure = Member(
    "reloadFailure", orNull: .text,
    "Why what the files say is not in force: the last reload or the start found it unsound"
  ) { $0.reloadFailure }

  private static let routesSchema = Schema.object(
    (Channel.allCases.map(\.name) + ["analytics"]).map { .optional($0, .list(.text)) })
}

extension Routes {
  /// Of each channel that sinks carry, and of analytics, their names in order of fallback.
  fileprivate var named: [(key: String, value: [String])] {
    let carried = Channel.allCases.compactMap { channel in
      sinks[channel].flatMap { $0.isEmpty ? nil : (key: channel.name, value: $0) }
    }
    return carried + (analytics.map { [(key: "analytics", value: [$0])] } ?? [])
  }
}

package struct NextPayload: Payload {
  package typealias Value = ServiceStatus.Next
  package static let shape = PayloadShape(Self())

  package let reminder = Member("reminder", .text, "What one of the recipients is told then") {
    $0.reminder
  }
  package let recipients = Member("recipients", .count) { $0.recipients }
  package let at = Member("at", .instant) { $0.at }
}

package struct LossPayload: Payload {
  package typealias Value = StoreLoss
  package static let shape = PayloadShape(Self())

  package let events = Member("events", .count) { Int($0.events) }
  package let notifications = Member("notifications", .count) { Int($0.notifications) }
  package let since = Member("since", orNull: .instant, "When the last event came that is left") {
    $0.since
  }
  package let until = Member("until", orNull: .instant, "When the last was acknowledged") {
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
    "unanswered", .count, "Not looked at, for nothing could be written"
  ) { $0.unanswered }
}

package struct WatchedPayload: Payload {
  package typealias Value = ServiceStatus.Part
  package static let shape = PayloadShape(Self())

  package let part = Member("part", .text) { $0.name }
  package let age = Member("age", .seconds, "For how long it has owed a sign of progress") {
    $0.age
  }
  package let allowance = Member("allowance", .seconds, "How long it may") { $0.allowance }
  package let vital = Member("vital", .boolean, "Whether the service is restarted for it") {
    $0.isVital
  }
}
