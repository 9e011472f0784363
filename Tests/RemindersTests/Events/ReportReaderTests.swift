import CivilTime
import JSON
import Reminders
import Testing

/// Rule E2: events that a catalog declares, with their fields.
@Suite struct ReportReaderTests {
  private static let catalog = Fixtures.catalog(
    events: """
      {booked: {visit: identifier, at: instant, place: text?, seats: number?}, logged: {},
        level.reached: {level: {number: [1, 9], keep: highest}}}
      """, reminders: ["note": "every: {day: {at: \"12:00\"}}"])

  @Test func `fields are read as their kinds`() throws {
    let report = try Self.report(
      ["visit": "a", "at": "2026-03-02T10:00:00+01:00", "seats": 2, "place": nil])
    #expect(report.identifier == "a")
    #expect(
      report.details == [
        Detail(field: Symbol("visit"), value: .text("a")),
        Detail(field: Symbol("at"), value: .instant(try utc("2026-03-02 09:00"))),
        Detail(field: Symbol("seats"), value: .number(2)),
      ])
  }

  @Test(arguments: [(2.0, Detail.Value.number(2)), (-1.25, .decimal(-1.25))])
  func `a number may have a fraction`(number: Double, value: Detail.Value) throws {
    let report = try Self.report(
      ["visit": "a", "at": "2026-03-02T10:00:00Z", "seats": .number(number)])
    #expect(report.details.last == Detail(field: Symbol("seats"), value: value))
  }

  @Test(
    arguments: [
      (["at": "2026-03-02T10:00:00Z"], "data.visit is missing"),
      (["visit": "a"], "data.at is missing"),
      (
        ["visit": "a", "at": "tomorrow"],
        "data.at must be a time such as \"2026-03-02T21:00:00Z\" (RFC 3339)"
      ),
      (
        ["visit": "", "at": "2026-03-02T10:00:00Z"],
        "data.visit must be a text of 1 to 128 bytes without control characters"
      ),
      (
        ["visit": "a", "at": "2026-03-02T10:00:00Z", "seats": 1e300],
        "data.seats must be a number between -1e12 and 1e12; it is a number"
      ),
      (
        ["visit": "a", "at": "2026-03-02T10:00:00Z", "plaec": "x"],
        """
        data.plaec is not known; did you mean "place"?; booked carries visit, at, place, seats
        """
      ),
    ] as [(JSONValue, String)])
  func `a refusal names the path and the fault`(data: JSONValue, text: String) throws {
    let refusal = #expect(throws: Refusal.self) { try Self.report(data) }
    #expect(refusal?.description == text)
  }

  private static func report(_ data: JSONValue) throws -> Report {
    let json: JSONValue = [
      "specversion": "1.0", "id": "1", "source": "test", "type": "booked", "subject": "amina",
      "time": "2026-03-02T08:00:00Z", "data": data,
    ]
    let event = try EventReader(planner: Fixtures.planner(catalog: catalog)).event(json, now: nil)
    guard case .report(let report) = event.content else {
      Issue.record("\(event.content) is not a report")
      return Report()
    }
    return report
  }
}
