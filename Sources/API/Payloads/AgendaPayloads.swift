package import CivilTime
package import Engine
package import Reminders

/// A page of pending or cancelled occurrences.
package struct AgendaPage {
  let agenda: Agenda
  let entries: ArraySlice<Agenda.Entry>
  /// The cursor of the next page; nil on the last page.
  let next: PageCursor?
  /// Whether nothing is pending and every delivered notification is dismissed.
  var isCaughtUp = false

  init(_ agenda: Agenda, _ entries: [Agenda.Entry], after cursor: PageCursor?, limit: Int) {
    let page = entries[(cursor?.next(in: entries) ?? 0)...].prefix(limit)
    self.agenda = agenda
    self.entries = page
    next = page.endIndex == entries.endIndex ? nil : page.last.map(PageCursor.init)
  }
}

package struct PendingPagePayload: PagePayload {
  package typealias Value = AgendaPage
  package static let shape = PayloadShape(Self(), as: .pendingPage)

  package let recipient = Member("recipient", .recipient) { $0.agenda.recipient }
  package let zone = Member("zone", .text) { $0.agenda.zone.name }
  package let zoneIsDefault = Member("zoneIsDefault", .boolean) { $0.agenda.isDefaultZone }
  package let now = Member("now", .instant) { $0.agenda.now }
  package let pending = Member("pending", .list(.payload(PendingPayload.self))) { page in
    page.entries.lazy.map { Zoned($0, in: page.agenda.zone) }
  }
  package let next = Member("next", orNull: .text, "The \"after\" of the next page") {
    $0.next?.text
  }

  package var items: Member<[PayloadNode<PendingPayload>]> { pending }
}

struct ScheduledPagePayload: Payload {
  typealias Value = AgendaPage
  static let shape = PayloadShape(Self(), as: .scheduledPage)

  let recipient = Member("recipient", .recipient) { $0.agenda.recipient }
  let zone = Member("zone", .text) { $0.agenda.zone.name }
  let now = Member("now", .instant) { $0.agenda.now }
  let scheduled = Member("scheduled", .list(.payload(ScheduledPayload.self))) { page in
    page.entries.lazy.map { Zoned($0, in: page.agenda.zone) }
  }
  let next = Member("next", orNull: .text, "The \"after\" of the next page") { $0.next?.text }
  let caughtUp = Members(CaughtUpPayload.self) { $0.isCaughtUp }
}

/// States whether nothing is scheduled and no notification is recent (rule N6).
package struct CaughtUpPayload: Payload {
  package typealias Value = Bool
  package static let shape = PayloadShape(Self())

  let allCaughtUp = Member("allCaughtUp", .boolean) { $0 }
  package let message = Member("message", optional: .text) { $0 ? "You're all caught up!" : nil }
}

/// A pending occurrence or a digest, which is one entry with its members (rule V6).
package struct PendingPayload: Payload {
  package typealias Value = Zoned<Agenda.Entry>
  package static let shape = PayloadShape(Self(), as: .pending)

  package let plan = Members(PlanPayload.self) { $0 }
  package let gating = Members(GatingPayload.self) { $0 }
  package let members = Member(
    "members", optional: .list(.payload(PendingPayload.self)),
    "The members of a digest, the most urgent first; absent if the entry is no digest"
  ) { $0.members }
}

/// A scheduled occurrence or digest with the id by which it is cancelled, snoozed or resumed.
struct ScheduledPayload: Payload {
  typealias Value = Zoned<Agenda.Entry>
  static let shape = PayloadShape(Self(), as: .scheduled)

  let id = Member("id", .text) { $0.content.identifier }
  let plan = Members(PlanPayload.self) { $0 }
  let series = Member(
    "series", optional: .boolean,
    "If the entry is cancelled: whether the whole series is cancelled"
  ) { $0.content.cancellation.map { $0 == .series } }
  let gating = Members(GatingPayload.self) { $0 }
  let members = Member(
    "members", optional: .list(.payload(ScheduledPayload.self)),
    "The members of a digest, the most urgent first; absent if the entry is no digest"
  ) { $0.members }
}

extension Zoned<Agenda.Entry> {
  /// The members of a digest; nil if the entry is no digest.
  fileprivate var members: [Self]? {
    content.members.isEmpty ? nil : content.members.map { Zoned($0, in: zone) }
  }
}

/// The reminder, texts, channels and instants of an entry.
package struct PlanPayload: Payload {
  package typealias Value = Zoned<Agenda.Entry>
  package static let shape = PayloadShape(Self())

  package let reminder = Member("reminder", .text) { $0.content.reminder }
  package let category = Member("category", .text) { $0.content.category }
  package let channels = Member("channels", .list(.channel)) { $0.content.channels }
  package let title = Member("title", .text) { $0.content.title }
  package let body = Member("body", .text) { Texts.shown($0.content.body) }
  package let entities = Member("entities", optional: .entities) { $0.content.entities.orNil }
  package let planned = Member("planned", .instant) { $0.content.planned }
  package let plannedLocal = Member("plannedLocal", .localTime) { $0.local($0.content.planned) }
  package let at = Member(
    "at", .instant, "The instant of sending; if the entry will be dropped, the planned instant"
  ) { $0.content.at }
  package let local = Member("local", .localTime) { $0.local($0.content.at) }
  package let offset = Member("offset", .text.example("-05:00")) { $0.offset(at: $0.content.at) }
  package let abbreviation = Member("abbreviation", .text.example("EST")) {
    $0.zone.abbreviation(at: $0.content.at)
  }
  package let outcome = Member("outcome", .text) {
    $0.content.cancellation == nil ? $0.content.outcome.name : "cancelled"
  }
}

/// The gates that hold or drop an entry.
package struct GatingPayload: Payload {
  package typealias Value = Zoned<Agenda.Entry>
  package static let shape = PayloadShape(Self())

  package let reasons = Member("reasons", .reasons) { $0.content.reasons }
  package let beneficiary = Member(
    "for", orNull: .payload(BeneficiaryPayload.self), BeneficiaryPayload.meaning
  ) { $0.content.waitsFor }
}

/// The more urgent occurrence for which capacity is reserved (rule V5).
package struct BeneficiaryPayload: Payload {
  package typealias Value = CapacityReservation
  package static let shape = PayloadShape(Self())
  static let meaning = "The more urgent occurrence that this one waits for; null if there is none"

  package let reminder = Member("reminder", .text) { $0.reminder }
  package let at = Member("at", .instant) { $0.at }
}

extension ValueKind where Written == [String], Read == [String] {
  static var reasons: Self {
    .list(.text).described("The gates that hold or drop the notification")
  }
}

extension ValueKind where Written == [String], Read == [String] {
  static var entities: Self {
    .list(.text).described(
      "The identifiers of the entities that share the date of a calendar reminder; absent for "
        + "other occurrences")
  }

  static var endedEntities: Self {
    .list(.text).described(
      "Entities that would share the date if the recipient had not cancelled their series; absent "
        + "if there are none")
  }
}

extension [String] {
  /// The list; nil if it is empty.
  var orNil: Self? { isEmpty ? nil : self }
}

/// The offset of a zone from UTC in the form of RFC 3339: `-05:00`. Seconds, which some zones had
/// before 1972, are added if they are not zero: `-00:25:21`.
struct UTCOffset: CustomStringConvertible {
  let seconds: Int

  var description: String {
    let magnitude = abs(seconds)
    let parts = [magnitude / 3_600, magnitude / 60 % 60, magnitude % 60]
      .map { $0 < 10 ? "0\($0)" : "\($0)" }
    let shownParts = parts.prefix(magnitude.isMultiple(of: 60) ? 2 : 3)
    return (seconds < 0 ? "-" : "+") + shownParts.joined(separator: ":")
  }
}

extension Zoned {
  func offset(at instant: Instant) -> String {
    UTCOffset(seconds: zone.offsetSeconds(at: instant)).description
  }
}
