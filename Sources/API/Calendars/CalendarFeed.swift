import CivilTime
import Cryptography
import JSON
import Reminders

/// A recipient's coming notifications as an iCalendar feed (RFC 5545). It has no alarms, because
/// chimed itself reminds.
struct CalendarFeed: Sendable {
  struct Entry: Hashable, Sendable {
    /// The identifier of the occurrence, which stays when the occurrence moves.
    let identifier: String
    let start: Instant
    let title: String
    let body: String
  }

  /// The title of the calendar.
  let title: String
  let entries: [Entry]

  /// The span after which readers ask again.
  private static let refreshInterval = "PT1H"

  /// Returns the text of the feed.
  ///
  /// - Parameter now: the instant of the answer, which each event of the calendar has; nil to omit
  ///   it.
  func text(at now: Instant?) -> String {
    var lines = CalendarLines()
    lines.add("BEGIN", "VCALENDAR")
    lines.add("VERSION", "2.0")
    lines.add("PRODID", "-//chimed//chimed//EN")
    lines.add("NAME", text: title)
    lines.add("X-WR-CALNAME", text: title)
    lines.add("REFRESH-INTERVAL;VALUE=DURATION", Self.refreshInterval)
    lines.add("X-PUBLISHED-TTL", Self.refreshInterval)
    for entry in entries { add(entry, at: now, to: &lines) }
    lines.add("END", "VCALENDAR")
    return lines.text
  }

  private func add(_ entry: Entry, at now: Instant?, to lines: inout CalendarLines) {
    lines.add("BEGIN", "VEVENT")
    lines.add("UID", entry.identifier)
    if let now { lines.add("DTSTAMP", now.calendarForm) }
    lines.add("DTSTART", entry.start.calendarForm)
    lines.add("SUMMARY", text: entry.title)
    if !entry.body.isEmpty { lines.add("DESCRIPTION", text: entry.body) }
    lines.add("CLASS", "PRIVATE")
    // A reminder takes no time, so the person is not busy.
    lines.add("TRANSP", "TRANSPARENT")
    lines.add("END", "VEVENT")
  }

  /// The entity tag. It is weak, because it does not depend on the instant of the answer.
  var tag: String {
    let digest = SHA256.digest(Array(text(at: nil).utf8))
    return "W/\"" + Base64URL.encoded(Array(digest.prefix(16))) + "\""
  }
}

extension Instant {
  /// The instant in whole seconds, in the form of RFC 5545 for UTC: `20260302T210000Z`.
  fileprivate var calendarForm: String {
    description.prefix { $0 != "." && $0 != "Z" }
      .filter { $0 != "-" && $0 != ":" } + "Z"
  }
}

extension CalendarFeed {
  /// The number of local dates after the current one that a feed covers.
  private static let daysMax = 60
  private static let entriesMax = 500

  /// Creates the feed of a recipient's coming notifications, each once, at the first instant at
  /// which it is sent.
  ///
  /// - Parameters:
  ///   - isDiscreet: whether all titles are discreet.
  ///   - identifier: returns the identifier of an entry, from the occurrence's id.
  init(
    of recipient: Recipient, from now: Instant, planner: Planner, isDiscreet: Bool,
    identifier: (String) -> String
  ) {
    let context = PlanningContext(facts: recipient.facts, planner: planner)
    let locale = recipient.facts.profile(.locale)
    let language = locale.flatMap { LanguageTag($0) }
    // The feed ends with a date, so that it changes only when a notification does.
    let end = context.zone.instant(
      of: context.zone.date(at: now) + Self.daysMax + 1, at: .midnight)
    let firings = recipient.limitedSimulatedFirings(
      from: now, through: end - .milliseconds(1), planner: planner, sentMax: Self.entriesMax)
    var seen: Set<String> = []
    var entries: [Entry] = []
    // Equal instants keep the order of decision: the sort is stable.
    for firing in firings.sorted(by: { $0.at < $1.at }) where firing.isOnChannel {
      guard entries.count < Self.entriesMax, let message = context.message(of: firing),
        seen.insert(context.identifier(of: firing)).inserted
      else { continue }
      let (title, body) = message.inCalendar(isDiscreet: isDiscreet, firing.hints, in: language)
      entries.append(
        Entry(
          identifier: identifier(context.identifier(of: firing)), start: firing.at, title: title,
          body: body))
    }
    self.init(title: Self.title(in: locale), entries: entries)
  }

  /// Returns the title of every calendar, which reveals nothing about its content.
  private static func title(in locale: String?) -> String {
    let tag = locale.flatMap { LanguageTag($0) }
    return tag?.lookup { titles[$0.description] } ?? "Reminders"
  }

  private static let titles = ["en": "Reminders", "de": "Erinnerungen", "ar": "التذكيرات"]
}
