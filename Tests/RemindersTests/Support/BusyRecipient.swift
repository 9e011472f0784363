import CivilTime
import JSON
import Reminders

/// A recipient with many pending occurrences.
struct BusyRecipient {
  /// The reason why the occurrences are pending, and their instants.
  enum Load: String, CaseIterable {
    case requestsApart, requestsTogether, requestsHeld, itemsApart, itemsTogether, itemsHeld

    /// Whether the occurrences are requested notifications. Otherwise they are leads of bookings.
    var isOfRequests: Bool { rawValue.hasPrefix("requests") }
    /// Whether all occurrences have the same instant. Otherwise they are a minute apart.
    var isTogether: Bool { rawValue.hasSuffix("Together") }
    /// Whether a vacation holds the occurrences.
    var isHeld: Bool { rawValue.hasSuffix("Held") }
  }

  private(set) var recipient: Recipient
  let planner: Planner
  private(set) var now: Instant
  /// The planned instants of the first and the last occurrence.
  let (first, last): (Instant, Instant)

  private static let types = ["one", "two", "three", "four"]

  private static let catalog = """
    catalog: notes
    events:
    \(types.map { "  \($0): {thing: identifier, at: instant}" }.joined(separator: "\n"))
    categories:
      NOTE: {title: Notes, channels: {push: true}}
    groups:
      notes: {enabled: true}
    reminders:
      daily: {category: NOTE, group: notes, expires: 1h, every: {day: {at: "12:00"}}, \(messages)}
    \(types.map(reminder(of:)).joined(separator: "\n"))
    """

  private static let messages = "messages: [{title: Note, body: A note.}]"

  private static func reminder(of type: String) -> String {
    "  note-\(type): {category: NOTE, group: notes, expires: 60d, "
      + "before: {event: \(type), at: at, by: 30d}, \(messages)}"
  }

  init(_ load: Load, count: Int) throws {
    planner = try Fixtures.planner(catalog: Self.catalog)
    now = try utc("2026-03-02 06:00")
    first = now + .hours(4)
    last = load.isTogether ? first : first + .minutes(count - 1)
    recipient = Recipient(name: "amina", facts: Facts(), progress: Progress(cutoff: now))
    var facts = Facts()
    for index in 0..<count {
      let instant = load.isTogether ? first : first + .minutes(index)
      // A booking has its lead 30 days before its instant.
      let event =
        try load.isOfRequests
        ? request(index, at: instant) : booking(index, at: instant + .days(30))
      facts.fold(event, order: Int64(index), memory: nil)
    }
    recipient = Recipient(name: "amina", facts: facts, progress: Progress(cutoff: now))
    guard load.isHeld else { return }
    take(try event("vacation.started", ["until": "2026-03-09"], id: "away"))
    now = last + .hours(1)
    _ = recipient.fire(now: now, planner: planner)
  }

  mutating func take(_ event: Event) {
    recipient.apply(event, order: 1 << 20, now: now, planner: planner)
  }

  mutating func fire(at instant: Instant) -> [Firing] {
    recipient.fire(now: max(instant, now), planner: planner).firings
  }

  mutating func rewind(to instant: Instant) { recipient.rewind(to: instant, planner: planner) }

  func request(_ number: Int, at instant: Instant) throws -> Event {
    try event(
      "notification.requested",
      [
        "category": "NOTE", "title": "Word", "body": "-", "at": .string(instant.description),
        "expires": "60d",
      ], id: "request \(number)")
  }

  func booking(_ number: Int, at instant: Instant) throws -> Event {
    try event(
      Self.types[number % Self.types.count],
      [
        "thing": .string("thing \(number / Self.types.count)"),
        "at": .string(instant.description),
      ], id: "booking \(number)")
  }

  func event(_ type: String, _ data: JSONValue, id: String) throws -> Event {
    let json: JSONValue = [
      "specversion": "1.0", "id": .string(id), "source": "test", "type": .string(type),
      "subject": "amina", "time": .string(now.description), "data": data,
    ]
    return try EventReader(planner: planner).event(json, now: now)
  }
}
