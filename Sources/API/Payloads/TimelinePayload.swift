package import CivilTime
import Reminders

/// The planned notifications of a recipient from now until an instant.
package struct Timeline {
  let recipient: Recipient
  let context: PlanningContext
  let now: Instant
  /// The last instant of the simulation. For a device's projection, which does not show it, the
  /// instant equals `now`.
  let end: Instant
  let firings: [Firing]
  /// Whether the simulation reached its limit before its end (rule V7).
  let isCut: Bool
  /// The parts of the past that are not known; nil for the present.
  let unknownParts: [String]?

  /// - Parameter end: the last instant of the days that were asked for.
  init(
    recipient: Recipient, context: PlanningContext, now: Instant, end: Instant, ahead: FiringsAhead,
    unknownParts: [String]? = nil
  ) {
    self.unknownParts = unknownParts
    (self.recipient, self.context, self.now) = (recipient, context, now)
    (self.end, firings, isCut) = (ahead.cut ?? end, ahead.firings, ahead.cut != nil)
  }
}

package struct TimelinePayload: Payload {
  package typealias Value = Timeline
  package static let shape = PayloadShape(Self(), as: .timeline)

  package let recipient = Member("recipient", .recipient) { $0.recipient.name }
  package let zone = Member("zone", .text) { $0.context.zone.name }
  package let zoneIsDefault = Member("zoneIsDefault", .boolean) { $0.context.isZoneDefault }
  package let zoneFault = Member(
    "zoneFault", orNull: .text, "Why the tz database has no rules for the zone; null if it has some"
  ) { $0.context.zoneFault?.description }
  package let now = Member("now", .instant) { $0.now }
  package let through = Member("through", .instant) { $0.end }
  package let cut = Member(
    "cut", .boolean,
    "Whether the timeline ends at through, before the last day, because too much is planned"
  ) { $0.isCut }
  package let unknown = Member(
    "unknown", optional: .list(.text),
    "The parts of the past that are not known; absent without asOf"
  ) { $0.unknownParts }
  package let days = Members(DaysPayload.self) {
    DaysPayload.Value(context: $0.context, start: $0.now, end: $0.end)
  }
  package let timeline = Member("timeline", .list(.payload(FiringPayload.self))) { timeline in
    // Equal instants keep the order of decision: the sort is stable.
    timeline.firings.sorted { $0.shownAt < $1.shownAt }
      .compactMap { FiringPayload.Value($0, in: timeline.context) }
  }
}

/// The local dates of a span with the instants at which they begin and end, and the quiet windows
/// that overlap them. Daylight saving time makes some dates shorter or longer.
package struct DaysPayload: Payload {
  package struct Value {
    let context: PlanningContext
    let start: Instant
    let end: Instant

    fileprivate var first: LocalDate { context.zone.date(at: start) }
    fileprivate var last: LocalDate { context.zone.date(at: end) }
  }

  package static let shape = PayloadShape(Self())

  package let days = Member(
    "days", .list(.payload(DayPayload.self)), "The recipient's local dates"
  ) { span in
    let dates = (span.first.daysSinceEpoch...span.last.daysSinceEpoch).lazy
      .map { LocalDate(daysSinceEpoch: Int($0)) }
    return dates.filter(span.context.zone.hasDate).map { Zoned($0, in: span.context.zone) }
  }
  package let quiet = Member(
    "quiet", .list(.payload(WindowPayload.self)), "The quiet windows that overlap these days"
  ) { span in
    span.context.settings.quietHours.windows(
      from: span.first, through: span.last, in: span.context.zone)
  }
}

package struct DayPayload: Payload {
  package typealias Value = Zoned<LocalDate>
  package static let shape = PayloadShape(Self())

  package let date = Member("date", .date) { $0.content }
  package let start = Member("start", .instant) { $0.zone.instant(of: $0.content, at: .midnight) }
  package let end = Member("end", .instant) { $0.zone.instant(of: $0.content + 1, at: .midnight) }
}

package struct WindowPayload: Payload {
  package typealias Value = Range<Instant>
  package static let shape = PayloadShape(Self())

  package let start = Member("start", .instant) { $0.lowerBound }
  package let end = Member("end", .instant) { $0.upperBound }
}

package struct FiringPayload: Payload {
  /// The planned outcome of an occurrence.
  package struct Value {
    let firing: Firing
    let outcome: Outcome
    let message: Message
    let context: PlanningContext

    /// Reads the outcome from a firing; nil if the occurrence is still held, if it is a member of a
    /// digest, or if it has no message.
    init?(_ firing: Firing, in context: PlanningContext) {
      guard case .finished(let outcome) = firing.result, outcome != .bundled,
        let message = context.message(of: firing)
      else { return nil }
      (self.firing, self.outcome) = (firing, outcome)
      (self.message, self.context) = (message, context)
    }

    fileprivate var zoned: Zoned<Firing> { Zoned(firing, in: context.zone) }
  }

  package static let shape = PayloadShape(Self(), as: .firing)

  package let id = Member("id", .text) { $0.context.identifier(of: $0.firing) }
  package let at = Member("at", .instant, "The instant of sending; if dropped, the planned instant")
  { $0.firing.shownAt }
  package let local = Member("local", .localTime) { $0.zoned.local($0.firing.shownAt) }
  package let offset = Member("offset", .text.example("-05:00")) {
    $0.zoned.offset(at: $0.firing.shownAt)
  }
  package let reminder = Member("reminder", .text) { $0.message.reminder }
  package let category = Member("category", .text) { $0.message.category }
  package let channels = Member("channels", .list(.channel)) { $0.firing.channels.channels }
  package let outcome = Member("outcome", .word(["delivered", "dropped"])) { $0.outcome.name }
  package let planned = Member("planned", .instant) { $0.firing.planned }
  package let plannedLocal = Member("plannedLocal", .localTime) {
    $0.zoned.local($0.firing.planned)
  }
  package let expires = Member("expires", .instant) { $0.firing.expiry }
  package let reasons = Member("reasons", .reasons) { $0.firing.trace.reasons }
  package let missed = Member("missed", optional: .missed) { $0.firing.trace.missed }
  package let title = Member("title", .text) { $0.message.title }
  package let body = Member("body", .text) { Texts.shown($0.message.body) }
  package let silent = Member("silent", optional: .boolean) { $0.firing.isSilent ? true : nil }
  package let members = Member(
    "members", optional: .list(.text),
    "The reminders of a digest's members; absent if this is no digest"
  ) { $0.message.memberReminders }
}

extension FiringPayload.Value {
  /// The message as push shows it.
  fileprivate var pushMessage: Message { message.shown(on: .push, firing.hints) }
}

/// A notification that a device has to schedule.
struct ProjectedPayload: Payload {
  typealias Value = FiringPayload.Value
  static let shape = PayloadShape(Self(), as: .projected)

  let id = Member("id", .text) { $0.context.identifier(of: $0.firing, else: $0.message.reminder) }
  let at = Member("at", .instant) { $0.firing.at }
  let local = Member("local", .localTime) { $0.zoned.local($0.firing.at) }
  let reminder = Member("reminder", .text) { $0.message.reminder }
  let category = Member("category", .text) { $0.message.category }
  let title = Member("title", .text, "The title as on push: discreet where that is (rule D17)") {
    $0.pushMessage.title
  }
  let body = Member("body", .text) {
    Texts.shown($0.pushMessage.body(on: .push, $0.firing.hints))
  }
  let silent = Member("silent", .boolean) { $0.firing.isSilent }
}

struct ProjectionPayload: Payload {
  typealias Value = Timeline
  static let shape = PayloadShape(Self())

  let recipient = Member("recipient", .recipient) { $0.recipient.name }
  let zone = Member("zone", .text) { $0.context.zone.name }
  let now = Member("now", .instant) { $0.now }
  let cut = Member(
    "cut", .boolean, "Whether later notifications are missing, because too much is planned"
  ) { $0.isCut }
  let projection = Member(
    "projection",
    .list(.payload(ProjectedPayload.self), atMost: ScheduledRoutes.projectionMax)
  ) { timeline in
    timeline.firings.lazy.compactMap { FiringPayload.Value($0, in: timeline.context) }
  }
}

extension PlanningContext {
  /// The id of an occurrence, for requests that explain or cancel it.
  func identifier(
    of firing: Firing, else fallbackName: String = Digest.identifier
  ) -> String {
    "\(catalog.reminder(firing.reminder).map(catalog.name) ?? fallbackName)~\(firing.key)"
  }
}

extension GateTrace {
  /// The number of consecutive missed occurrences up to this one; nil if it is the only one.
  var missed: Int? { runLength > 1 ? runLength : nil }
}

extension Message {
  /// The reminders of a digest's members; nil if this is no digest.
  var memberReminders: [String]? { members.isEmpty ? nil : members }
}

extension ValueKind where Written == Int, Read == Int64 {
  static var missed: Self {
    .count.described(
      "The number of consecutive missed occurrences up to this one; absent for one")
  }
}
