import CivilTime
import JSON
import Testing

@testable import Reminders

/// Rule G5: the copies of an event for other recipients.
@Suite struct EventCopiesTests {
  private static let events = """
    {booked: {visit: identifier, at: instant, carer: recipient?, nurse: recipient?},
        begun: {visit: identifier}}
    """

  private static func reader() throws -> EventReader {
    let text = Fixtures.catalog(
      events: events,
      reminders: [
        "late": "past: {event: booked, at: at, by: 1h}, to: carer",
        "own": "past: {event: booked, at: at, by: 1h}",
      ])
    return EventReader(planner: try Fixtures.planner(catalog: text))
  }

  private static func event(
    _ type: String, _ data: JSONObject, time: JSONValue? = "2026-03-02T08:00:00Z"
  ) throws -> Event {
    var members: JSONObject = [
      "specversion": "1.0", "id": "7", "source": "app", "type": .string(type), "subject": "p",
      "data": .object(data),
    ]
    members["time"] = time
    return try reader().event(.object(members), now: arrival)
  }

  private static let arrival = Instant(milliseconds: 1_772_442_000_123)

  private static let booking: JSONObject = ["visit": "1", "at": "2026-03-02T10:00:00Z"]

  @Test func `G5: each named recipient gets a copy of the event`() throws {
    var data = Self.booking
    (data["carer"], data["nurse"]) = ("c", "n")
    let event = try Self.event("booked", data)
    #expect(event.copies.map(\.recipient) == ["c", "n"])
    #expect(event.copies.map(\.type) == ["booked > carer", "booked > nurse"])
    #expect(Set(event.copies.map(\.identity)).count == 2)
    for copy in event.copies {
      let report = try #require(Self.report(copy))
      #expect(report.identifier == "p/1" && report.rememberedMax > 0)
      #expect(copy.time == event.time && copy.identity != event.identity)
      #expect(String(decoding: copy.data, as: UTF8.self).contains("\"visit\":\"p/1\""))
    }
  }

  private static func report(_ event: Event) -> Report? {
    if case .report(let report) = event.content { report } else { nil }
  }

  @Test func `G5: a recipient who names themselves gets no copy`() throws {
    var data = Self.booking
    #expect(try Self.event("booked", data).copies.isEmpty)
    data["carer"] = "p"
    #expect(try Self.event("booked", data).copies.isEmpty)
  }

  /// Rule F3: a copy sent to another node has the same content there.
  @Test(arguments: [true, false])
  func `F3: a copy is read as it was written`(hasTime: Bool) throws {
    var data = Self.booking
    data["carer"] = "c \"é\""
    data["visit"] = "1/\\"
    let event = try Self.event("booked", data, time: hasTime ? "2026-03-02T08:00:00.250Z" : nil)
    let copy = try #require(event.copies.first)
    let read = try Self.reader().copy(text: copy.copyText, time: copy.time)
    #expect(read.identity == copy.identity)
    #expect(read.type == copy.type && read.recipient == copy.recipient)
    #expect(read.time == copy.time && read.isTimeGiven == hasTime)
    #expect(read.data == copy.data)
    #expect(Self.report(read) == Self.report(copy))
  }

  @Test func `F3: a copy is refused if no catalog declares it`() throws {
    var data = Self.booking
    data["carer"] = "c"
    let event = try Self.event("booked", data)
    let text = Fixtures.catalog(reminders: ["note": "every: {day: {at: \"12:00\"}}"])
    let other = EventReader(planner: try Fixtures.planner(catalog: text))
    let refusal = #expect(throws: Refusal.self) {
      try other.copy(text: event.copies[0].copyText, time: event.time)
    }
    #expect(refusal?.description.contains("no catalog of this node declares it") == true)
    // The text of the event itself is not accepted as a copy either.
    #expect(throws: Refusal.self) {
      try Self.reader().copy(text: event.copyText, time: event.time)
    }
  }

  @Test func `G5: an app cannot report a copy`() {
    let refusal = #expect(throws: Refusal.self) {
      try Self.event("booked > carer", Self.booking)
    }
    #expect(refusal?.description.contains("is not declared") == true)
  }

  @Test func `G5: a reminder is for the event's recipient or for a named recipient`() throws {
    var data = Self.booking
    data["carer"] = "c"
    let event = try Self.event("booked", data)
    let text = Fixtures.catalog(
      events: Self.events,
      reminders: [
        "late": "past: {event: booked, at: at, by: 1h}, to: carer",
        "own": "past: {event: booked, at: at, by: 1h}",
      ])
    let planner = try Fixtures.planner(catalog: text)
    for (event, reminder) in [(event, "own"), (event.copies[0], "late")] {
      var recipient = Recipient(name: event.recipient, now: event.time)
      recipient.apply(event, order: 1, now: event.time, planner: planner)
      let pending = recipient.pending(now: event.time, planner: planner)
      #expect(pending.map(\.reminder) == [Symbol(reminder)])
    }
  }

  /// The series runs without an entity, so no withdrawal of a single entity ends it.
  @Test func `G10: a withdrawal of one entity ends no series of all entities`() throws {
    let text = Fixtures.catalog(
      events: Self.events,
      reminders: [
        "daily": "every: {day: {at: '12:00'}}, since: {event: booked, per: any}, to: carer"
      ])
    let planner = try Fixtures.planner(catalog: text)
    func booked(_ visit: String, _ carer: String) throws -> Event {
      var data = Self.booking
      (data["visit"], data["carer"]) = (.string(visit), .string(carer))
      return try Self.event("booked", data)
    }
    var patient = Recipient(name: "p", now: Self.arrival)
    var carer = Recipient(name: "c", now: Self.arrival)
    for (order, event) in try [booked("1", "c"), booked("2", "c")].enumerated() {
      patient.apply(event, order: Int64(order), now: Self.arrival, planner: planner)
      carer.apply(event.copies[0], order: Int64(order), now: Self.arrival, planner: planner)
    }
    let withdrawals = planner.catalog.withdrawals(by: try booked("1", "d")) {
      patient.facts.item($0, "1")
    }
    try #require(withdrawals.map(\.recipient) == ["c"])
    carer.apply(withdrawals[0], order: 9, now: Self.arrival, planner: planner)
    #expect(carer.pending(now: Self.arrival, planner: planner).count == 1)
  }

  private static let cancellingCatalog = Fixtures.catalog(
    events: """
      {booked: {visit: identifier, at: instant, carer: recipient?},
          off: {visit: identifier, carer: recipient?}}
      """,
    reminders: ["ahead": "before: {event: booked, at: at, by: 1h}, to: carer, cancel: off"])

  /// Ingests one patient's events as the service does. Returns the planned instants of the carer's
  /// reminders.
  private static func reminders(
    after events: [(String, JSONObject)], carer: String = "c"
  ) throws -> [Instant] {
    let planner = try Fixtures.planner(catalog: cancellingCatalog)
    var recipients: [String: Recipient] = [:]
    for (index, (type, data)) in events.enumerated() {
      var data = data
      let time = data["time"]
      data["time"] = nil
      let event = try EventReader(planner: planner).event(
        [
          "specversion": "1.0", "id": .string("\(index)"), "source": "app",
          "type": .string(type), "subject": "p", "time": time ?? .null, "data": .object(data),
        ], now: arrival)
      let withdrawals = planner.catalog.withdrawals(by: event) {
        recipients["p"]?.facts.item($0, "1")
      }
      let ingested = [event] + event.copies + withdrawals
      #expect(Set(ingested.map(\.identity)).count == ingested.count)
      for event in ingested {
        if recipients[event.recipient] == nil, planner.catalog.needsRecipient(event) { continue }
        recipients[event.recipient, default: Recipient(name: event.recipient, now: arrival)]
          .apply(event, order: Int64(index), now: arrival, planner: planner)
      }
    }
    return recipients[carer]?.pending(now: arrival, planner: planner).map(\.planned) ?? []
  }

  private static func booking(_ minute: Int, _ carer: String?) -> (String, JSONObject) {
    var data: JSONObject = [
      "visit": "1", "at": "2026-03-02T12:00:00Z", "time": .string("2026-03-02T08:0\(minute):00Z"),
    ]
    if let carer { data["carer"] = .string(carer) }
    return ("booked", data)
  }

  private static func cancellation(_ minute: Int, _ carer: String?) -> (String, JSONObject) {
    var data: JSONObject = ["visit": "1", "time": .string("2026-03-02T08:0\(minute):00Z")]
    if let carer { data["carer"] = .string(carer) }
    return ("off", data)
  }

  @Test(arguments: [nil, "p", "d"])
  func `G10: a cancellation that does not name the carer reaches the carer in any order`(
    namedCarer: String?
  ) throws {
    let (booking, cancellation) = (Self.booking(1, "c"), Self.cancellation(2, namedCarer))
    #expect(try Self.reminders(after: [booking]).count == 1)
    #expect(try Self.reminders(after: [booking, cancellation]).isEmpty)
    #expect(try Self.reminders(after: [cancellation, booking]).isEmpty)
    #expect(try Self.reminders(after: [booking, cancellation, booking]).isEmpty)
  }

  @Test func `G10: a booking after the cancellation is announced to its carer`() throws {
    let earlierEvents = [Self.booking(1, "c"), Self.cancellation(2, nil)]
    #expect(try Self.reminders(after: earlierEvents + [Self.booking(3, "c")]).count == 1)
    #expect(try Self.reminders(after: earlierEvents + [Self.booking(3, "d")]).isEmpty)
    #expect(
      try Self.reminders(after: earlierEvents + [Self.booking(3, "d")], carer: "d").count == 1)
    let cancelledAgain = earlierEvents + [Self.booking(3, "d"), Self.cancellation(4, nil)]
    #expect(try Self.reminders(after: cancelledAgain, carer: "d").isEmpty)
  }

  @Test(arguments: [
    ("past: {event: booked, at: at, by: 1h}, to: crer", "\"booked\" has no field \"crer\""),
    (
      "past: {event: booked, at: at, by: 1h}, to: carer, cancel: begun",
      "\"begun\" has no field \"carer\""
    ),
    ("every: {day: {at: \"12:00\"}}, to: carer", "\"to\" with \"every\" needs an event"),
    ("idle: {event: booked, days: 3}, to: carer", "\"to\" cannot be used with \"idle\""),
  ])
  func `a reminder that reaches no recipient is rejected`(reminder: String, message: String) {
    let text = Fixtures.catalog(events: Self.events, reminders: ["note": reminder])
    let error = #expect(throws: CatalogErrors.self) { try Fixtures.read(text) }
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
  }

  @Test func `E7: a recipient's own report names no other recipient`() {
    let text = Fixtures.catalog(
      events: "{said: {words: text, friend: recipient, from: recipient}}",
      reminders: ["note": "on: {event: said, delay: 1s}"])
    let error = #expect(throws: CatalogErrors.self) { try Fixtures.read(text) }
    #expect(error?.description.contains("own token may not report events about others") == true)
  }
}
