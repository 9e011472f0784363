import CivilTime
import Reminders
import Store
import Testing

/// Every store's feed of the decisions for all recipients.
@Suite struct FeedConformanceTests {
  private func lines(
    _ stage: PortStage, before number: Int64? = nil, limit: Int = 100
  ) throws -> [String] {
    try stage.read { try $0.feed(before: number, limit: limit) }.map { entry in
      let groupRecord = entry.groupRecord
      let channels = groupRecord.channels.channels.map(\.name).joined(separator: "+")
      return
        "\(groupRecord.notification) \(entry.recipient) \(groupRecord.outcome.name) \(channels)"
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `the feed lists all recipients' decisions, the latest first`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind, of: "amina", "bilal")
    #expect(try lines(stage).isEmpty)
    try stage.record(Fixtures.record(key: 1), Fixtures.record(row: 2, key: 1, outcome: .dropped))
    try stage.record(Fixtures.record(key: 2))
    try stage.save { $0.addFallback(.email, to: 1) }
    let allLines = [
      "3 amina delivered push", "2 bilal dropped push", "1 amina delivered push+email",
    ]
    #expect(try lines(stage) == allLines)
    #expect(try lines(stage, limit: 2) == Array(allLines[..<2]))
    #expect(try lines(stage, before: 3) == Array(allLines[1...]))
    #expect(try lines(stage, before: 1).isEmpty)
    #expect(try lines(stage, before: .max) == allLines)
    try stage.erase()
    #expect(try lines(stage) == [allLines[1]])
  }

  @Test(arguments: StoreKind.allCases)
  func `an entry has reminder, instants and reasons, but no text`(_ kind: StoreKind) throws {
    let stage = try PortStage(kind, of: "amina")
    var record = Fixtures.record(key: 1, outcome: .dropped)
    record.trace = GateTrace()
    record.trace.note(.dailyCap, .drops)
    record.trace.runLength = 3
    try stage.record(record)
    let entry = try #require(try stage.read { try $0.feed(before: nil, limit: 1) }.first)
    #expect((entry.reminder, entry.category) == ("note", "NOTE"))
    #expect((entry.groupRecord.planned, entry.groupRecord.at) == (record.planned, record.at))
    #expect(entry.groupRecord.reasons == ["daily_cap"])
    #expect(entry.runLength == 3)
  }
}
