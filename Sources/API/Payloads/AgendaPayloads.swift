package import CivilTime
package import Engine
package import Reminders

/// A page of what is pending or cancelled.
package struct AgendaPage {
  let agenda: Agenda
  let entries: ArraySlice<Agenda.Entry>
  /// The cursor of the following page, if there is one.
  let next: PageCursor?
  /// Whether there is nothing to see at all.
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
  package let next = Member("next", orNull: .text, "after= of the page behind this one") {
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
  let next = Member("next", orNull: .text, "after= of the page behind this one") { $0.next?.text }
  let caughtUp = Members(CaughtUpPayload.self) { $0.isCaughtUp }
}

/// Whether there is nothing to see: nothing scheduled and nothing delivered (rule N4).
package struct CaughtUpPayload: Payload {
  package typealias Value = Bool
  package static let shape = PayloadShape(Self())

  let allCaughtUp = Member("allCaughtUp", .boolean) { $0 }
  package let message = Member("message", optional: .text) { $0 ? "You're all caught up!" : nil }
}

/// A digest is one entry (rule V6); its parts have none.
package struct PendingPayload: Payload {
  package typealias Value = Zoned<Agenda.Entry>
  package static let shape = PayloadShape(Self(), as: .pending)

  package let plan = Members(PlanPayload.self) { $0 }
  package let ruling = Members(RulingPayload.self) { $0 }
  package let members = Member(
    "members", optional: .list(.payload(PendingPayload.self)),
    "What a digest is made of, the most urgent first; absent for anything else"
  ) { $0.members }
}

/// The same with an id, by which it is cancelled, snoozed or resumed.
struct ScheduledPayload: Payload {
  typealias Value = Zoned<Agenda.Entry>
  static let shape = PayloadShape(Self(), as: .scheduled)

  let id = Member("id", .text) { $0.content.identifier }
  let plan = Members(PlanPayload.self) { $0 }
  let series = Member(
    "series", optional: .boolean, "Of what is cancelled: whether its series is"
  ) { $0.content.cancellation.map { $0 == .series } }
  let ruling = Members(RulingPayload.self) { $0 }
  let members = Member(
    "members", optional: .list(.payload(ScheduledPayload.self)),
    "What a digest is made of, the most urgent first; absent for anything else"
  ) { $0.members }
}

extension Zoned<Agenda.Entry> {
  /// Nil for what is no digest.
  fileprivate var members: [Self]? {
    content.members.isEmpty ? nil : content.members.map { Zoned($0, in: zone) }
  }
}

/// What is planned for when.
package struct PlanPayload: Payload {
  package typealias Value = Zoned<Agenda.Entry>
  package static let shape = PayloadShape(Self())

  package let reminder = Member("reminder", .text) { $0.content.reminder }
  package let category = Member("category", .text) { $0.content.category }
  package let channels = Member("channels", .list(.channel)) { $0.content.channels }
  package let title = Member("title", .text) { $0.content.title }
  package let body = Member("body", .text) { Texts.shown($0.content.body) }
  package let planned = Member("planned", .instant) { $0.content.planned }
  package let plannedLocal = Member("plannedLocal", .localTime) { $0.local($0.content.planned) }
  package let at = Member("at", .instant, "When it will go; of a drop, its planned instant") {
    $0.content.at
  }
  package let local = Member("local", .localTime) { $0.local($0.content.at) }
  package let offset = Member("offset", .text.example("-05:00")) { $0.offset(at: $0.content.at) }
  package let abbreviation = Member("abbreviation", .text.example("EST")) {
    $0.zone.abbreviation(at: $0.content.at)
  }
  package let outcome = Member("outcome", .text) {
    $0.content.cancellation == nil ? $0.content.outcome.name : "cancelled"
  }
}

/// What the gates say of it.
package struct RulingPayload: Payload {
  package typealias Value = Zoned<Agenda.Entry>
  package static let shape = PayloadShape(Self())

  package let reasons = Member("reasons", .reasons) { $0.content.reasons }
  package let beneficiary = Member(
    "for", orNull: .payload(BeneficiaryPayload.self), BeneficiaryPayload.meaning
  ) { $0.content.waitsFor }
}

/// The occurrence that a slot is kept for (rule V5).
package struct BeneficiaryPayload: Payload {
  package typealias Value = SlotKeeping
  package static let shape = PayloadShape(Self())
  static let meaning = "What comes first and has the slot kept that this waits for"

  package let reminder = Member("reminder", .text) { $0.reminder }
  package let at = Member("at", .instant) { $0.at }
}

extension ValueKind where Written == [String], Read == [String] {
  static var reasons: Self { .list(.text).described("The gates that held or dropped it") }
}

/// How far a zone's clocks are ahead of UTC, written as RFC 3339 has it: `-05:00`. The seconds that
/// some zones had before 1972 are added when there are any: `-00:25:21`.
struct UTCOffset: CustomStringConvertible {
  let seconds: Int

  var description: String {
    let length = abs(seconds)
    let parts = [length / 3_600, length / 60 % 60, length % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
    let shown = parts.prefix(length.isMultiple(of: 60) ? 2 : 3)
    return (seconds < 0 ? "-" : "+") + shown.joined(separator: ":")
  }
}

extension Zoned {
  func offset(at instant: Instant) -> String {
    UTCOffset(seconds: zone.offsetSeconds(at: instant)).description
  }
}
