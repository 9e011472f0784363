import JSON
import Testing

@testable import Reminders

/// Rule G5: what others are told of an event.
@Suite struct EventCopiesTests {
  private static let events = """
    {booked: {visit: identifier, at: instant, carer: recipient?, nurse: recipient?},
        begun: {visit: identifier}}
    """

  private static func event(_ type: String, _ data: JSONObject) throws -> Event {
    let text = Fixtures.catalog(
      events: events,
      reminders: [
        "late": "past: {event: booked, at: at, by: 1h}, to: carer",
        "own": "past: {event: booked, at: at, by: 1h}",
      ])
    let json: JSONValue = [
      "specversion": "1.0", "id": "7", "source": "app", "type": .string(type), "subject": "p",
      "time": "2026-03-02T08:00:00Z", "data": .object(data),
    ]
    return try EventReader(planner: Fixtures.planner(catalog: text)).event(json, now: nil)
  }

  private static let booking: JSONObject = ["visit": "1", "at": "2026-03-02T10:00:00Z"]

  @Test func g5EachWhomAnEventNamesGetsACopy() throws {
    var data = Self.booking
    (data["carer"], data["nurse"]) = ("c", "n")
    let event = try Self.event("booked", data)
    #expect(event.copies.map(\.recipient) == ["c", "n"])
    #expect(event.copies.map(\.type) == ["booked > carer", "booked > nurse"])
    #expect(Set(event.copies.map(\.identity)).count == 2)
    for copy in event.copies {
      let report = try #require(Self.report(copy))
      #expect(report.identifier == "p/1" && report.kept > 0)
      #expect(copy.time == event.time && copy.identity != event.identity)
      #expect(String(decoding: copy.data, as: UTF8.self).contains("\"visit\":\"p/1\""))
    }
  }

  private static func report(_ event: Event) -> Report? {
    if case .report(let report) = event.content { report } else { nil }
  }

  @Test func g5NobodyIsTheirOwnCarer() throws {
    var data = Self.booking
    #expect(try Self.event("booked", data).copies.isEmpty)
    data["carer"] = "p"
    #expect(try Self.event("booked", data).copies.isEmpty)
  }

  @Test func g5NoAppReportsACopy() {
    let refusal = #expect(throws: Refusal.self) {
      try Self.event("booked > carer", Self.booking)
    }
    #expect(refusal?.description.contains("is declared by nobody") == true)
  }

  @Test func g5AReminderIsForOneOfTheTwo() throws {
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

  @Test(arguments: [
    ("past: {event: booked, at: at, by: 1h}, to: crer", "\"booked\" names nobody as \"crer\""),
    (
      "past: {event: booked, at: at, by: 1h}, to: carer, cancel: begun",
      "\"begun\" names nobody as \"carer\""
    ),
    ("every: {day: {at: \"12:00\"}}, to: carer", "\"to\" beside \"every\" needs an event"),
    ("idle: {event: booked, days: 3}, to: carer", "\"to\" means nothing beside \"idle\""),
  ])
  func whatReachesNobodyIsExplained(reminder: String, message: String) {
    let text = Fixtures.catalog(events: Self.events, reminders: ["note": reminder])
    let error = #expect(throws: CatalogErrors.self) { try Fixtures.read(text) }
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
  }

  @Test func e7WhatAPersonReportsNamesNobodyElse() {
    let text = Fixtures.catalog(
      events: "{said: {words: text, friend: recipient, from: recipient}}",
      reminders: ["note": "on: {event: said, delay: 1s}"])
    let error = #expect(throws: CatalogErrors.self) { try Fixtures.read(text) }
    #expect(error?.description.contains("nobody may have others told what they like") == true)
  }
}
