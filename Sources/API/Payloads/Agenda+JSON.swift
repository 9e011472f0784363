import CivilTime
import Engine
import JSON
import Reminders

extension Agenda {
  /// Writes a page of what is pending.
  ///
  /// - Parameter next: the cursor of the following page, if there is one.
  func write(page: ArraySlice<Entry>, next: PageCursor?, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("recipient", recipient)
    writer.member("zone", zone.name)
    writer.member("zoneIsDefault", isDefaultZone)
    writer.member("now", now.description)
    writer.key(constant: "pending")
    writer.beginArray()
    for entry in page { entry.write(in: zone, to: &writer) }
    writer.endArray()
    writer.member("next", next.map { .string($0.text) } ?? .null)
    writer.endObject()
  }
}

extension Agenda.Entry {
  func write(in zone: Zone, isIdentified: Bool = false, to writer: inout JSONWriter) {
    writer.beginObject()
    if isIdentified { writer.member("id", identifier) }
    writer.member("reminder", reminder)
    writer.member("category", category)
    writer.member("channels", .array(channels.map { .string($0.name) }))
    writer.member("title", title)
    writer.member("body", Texts.shown(body))
    writer.member("planned", planned.description)
    writer.member("plannedLocal", zone.local(at: planned).description)
    writer.member("at", at.description)
    writer.member("local", zone.local(at: at).description)
    writer.member("offset", UTCOffset(seconds: zone.offsetSeconds(at: at)).description)
    writer.member("abbreviation", zone.abbreviation(at: at))
    writer.member("outcome", cancellation == nil ? outcome.name : "cancelled")
    if let cancellation { writer.member("series", cancellation == .series) }
    writer.member("reasons", .array(reasons.map { .string($0) }))
    writer.member("for", waitsFor?.json ?? .null)
    if !members.isEmpty { writeMembers(in: zone, isIdentified: isIdentified, to: &writer) }
    writer.endObject()
  }

  private func writeMembers(
    in zone: Zone, isIdentified: Bool, to writer: inout JSONWriter
  ) {
    writer.key(constant: "members")
    writer.beginArray()
    for member in members { member.write(in: zone, isIdentified: isIdentified, to: &writer) }
    writer.endArray()
  }
}

extension Firing {
  /// Writes what will come of an occurrence; nothing for what is only held, or is said by a digest.
  func write(in context: PlanningContext, to writer: inout JSONWriter) {
    guard case .settled(let outcome) = result, outcome != .bundled,
      let caption = context.caption(of: self)
    else { return }
    let zone = context.zone
    writer.beginObject()
    writer.member("id", context.identifier(of: self))
    writer.member("at", at.description)
    writer.member("local", zone.local(at: at).description)
    writer.member("offset", UTCOffset(seconds: zone.offsetSeconds(at: at)).description)
    writer.member("reminder", caption.reminder)
    writer.member("category", caption.category)
    writer.member("channels", .array(channels.channels.map { .string($0.name) }))
    writer.member("outcome", outcome.name)
    writer.member("planned", planned.description)
    writer.member("plannedLocal", zone.local(at: planned).description)
    writer.member("expires", expiry.description)
    writer.member("reasons", .array(trace.reasons.map { .string($0) }))
    if trace.runLength > 1 { writer.member("missed", trace.runLength) }
    writer.member("title", caption.title)
    writer.member("body", Texts.shown(caption.body))
    if isSilent { writer.member("silent", true) }
    if !caption.members.isEmpty {
      writer.member("members", .array(Texts.shown(caption.members).map { .string($0) }))
    }
    writer.endObject()
  }
}

extension PlanningContext {
  /// What to call an occurrence when one asks about it or takes it back.
  fileprivate func identifier(of firing: Firing) -> String {
    let name = catalog.reminder(firing.reminder).map(catalog.name) ?? Digest.identifier
    return "\(name)~\(firing.key)"
  }

  /// Writes the local dates of a span with the instants at which they begin and end, a change of
  /// clocks making one shorter or longer, and the quiet windows that touch them.
  func writeDays(from start: Instant, through end: Instant, to writer: inout JSONWriter) {
    let (first, last) = (zone.date(at: start), zone.date(at: end))
    writer.key(constant: "days")
    writer.beginArray()
    for date in first.daysSinceEpoch...last.daysSinceEpoch {
      let date = LocalDate(daysSinceEpoch: Int(date))
      writer.beginObject()
      writer.member("date", date.description)
      writer.member("start", zone.instant(of: date, at: .midnight).description)
      writer.member("end", zone.instant(of: date + 1, at: .midnight).description)
      writer.endObject()
    }
    writer.endArray()
    writer.key(constant: "quiet")
    writer.beginArray()
    for window in settings.quietHours.windows(from: first, through: last, in: zone) {
      writer.beginObject()
      writer.member("start", window.lowerBound.description)
      writer.member("end", window.upperBound.description)
      writer.endObject()
    }
    writer.endArray()
  }
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

/// Whether there is nothing to see: nothing scheduled and nothing delivered (rule N4).
struct CaughtUp {
  static let message = "You're all caught up!"

  let isSo: Bool

  func write(to writer: inout JSONWriter) {
    writer.member("allCaughtUp", isSo)
    if isSo { writer.member("message", Self.message) }
  }
}
