import JSON
import Reminders
import Testing

/// Rule G10: identities are compared byte by byte, so reading an event must not change them.
@Suite struct ExactIdentityTests {
  private static let catalog = Fixtures.catalog(
    events: """
      {booked: {visit: identifier, carer: recipient?, place: text?, by: person?, room: place?}}
      """, reminders: ["note": "on: {event: booked, delay: 1h}, to: carer"])

  private func content(_ type: String, _ data: JSONValue) throws -> Event.Content {
    let json: JSONValue = [
      "specversion": "1.0", "id": "1", "source": "test", "type": .string(type),
      "subject": "amina", "time": "2026-03-02T08:00:00Z", "data": data,
    ]
    let planner = try Fixtures.planner(catalog: Self.catalog)
    return try EventReader(planner: planner).event(json, now: nil).content
  }

  @Test(
    arguments: [
      ("booked", "visit", ["visit": "1\t"]), ("booked", "carer", ["visit": "1", "carer": "c\t"]),
      ("booked", "by.id", ["visit": "1", "by": ["id": "b\t", "username": "bo"]]),
      ("booked", "by.username", ["visit": "1", "by": ["id": "b", "username": "b\to"]]),
      ("booked", "room.id", ["visit": "1", "room": ["id": "r\t", "name": "Rome"]]),
      ("device.registered", "deviceId", ["deviceId": "d\t", "platform": "ios", "token": "t"]),
      ("device.registered", "token", ["deviceId": "d", "platform": "ios", "token": "t\t"]),
      ("device.removed", "deviceId", ["deviceId": "d\r\n\t"]),
      ("notification.cancelled", "notification", ["notification": "n\t1"]),
      ("notification.opened", "notification", ["notification": "n\t1"]),
      ("pending.cancelled", "reminder", ["reminder": "note\t"]),
    ] as [(String, String, JSONValue)])
  func `G10: an identity with a tab is refused`(type: String, path: String, data: JSONValue) {
    let refusal = #expect(throws: Refusal.self) { try content(type, data) }
    #expect(refusal?.path == "data.\(path)")
    #expect(refusal?.reason.contains("without control characters") == true)
  }

  @Test func `E9: the texts of a request have spaces for tabs and LF for CR LF`() throws {
    let content = try content(
      "notification.requested", ["category": "NOTE", "title": "a\tb", "body": "c\r\nd"])
    guard case .request(let request) = content else { throw UnexpectedContent() }
    #expect(request.title == "a b" && request.body == "c\nd")
  }

  @Test func `E2: the texts of an event have spaces for tabs`() throws {
    let content = try content(
      "booked",
      [
        "visit": "1", "place": "north\twing", "room": ["id": "r", "name": "Room\t1"],
        "by": ["id": "b", "username": "bo", "firstName": "Bo\tb"],
      ])
    guard case .report(let report) = content else { throw UnexpectedContent() }
    let texts = report.details.compactMap { detail in
      switch detail.value {
      case .text(let text): text
      case .place(let place): place.name
      case .person(let person): person.firstName
      default: nil
      }
    }
    #expect(texts == ["1", "north wing", "Bo b", "Room 1"])
  }

  private struct UnexpectedContent: Error {}
}
