import CivilTime
import JSON
import Reminders
import Store
import TestSupport
import Testing

@testable import Engine

/// Rule L8: the coming days and explanations as of a past instant.
@Suite struct ReplayedRecipientTests {
  private func past(
    _ stage: Stage, asOf time: String
  ) throws -> PastAnswer<ReplayedRecipient> {
    try stage.query(ReplayedRecipientQuery(of: "amina", at: utc(time)))
  }

  /// Returns a recipient of the past; fails if the past is not known.
  private func known(_ stage: Stage, asOf time: String) throws -> ReplayedRecipient {
    switch try past(stage, asOf: time) {
    case .known(let known): return known
    case .unknownRecipient: throw UnknownPast.early(start: nil)
    case .unknown(let reason): throw reason
    }
  }

  /// Returns the notifications of the two days after a past instant, or the reason why they are not
  /// known.
  private func ahead(_ stage: Stage, asOf time: String) throws -> [String] {
    switch try past(stage, asOf: time) {
    case .known(let known): ahead(of: known.recipient, by: known.planner, from: try utc(time))
    case .unknownRecipient: ["unknown recipient"]
    case .unknown(let reason): [reason.description]
    }
  }

  private func ahead(of recipient: Recipient, by planner: Planner, from now: Instant) -> [String] {
    recipient.firingsAhead(from: now, through: now + .days(2), planner: planner).firings
      .compactMap { firing in
        guard case .finished(let outcome) = firing.result else { return nil }
        return "\(firing.shownAt) \(outcome.name) \(firing.trace.reasons.joined(separator: "+"))"
      }
  }

  @Test func `L8: the days ahead follow a former setting, quiet hours and a catalog`() throws {
    let stage = try Stage(catalog: Fixtures.notes(), at: "2026-03-01 09:00")
    try stage.take("recipient.updated", ["locale": "de"])
    try stage.run(to: "2026-03-02 09:00")
    try stage.plan(with: Fixtures.planner(catalog: Fixtures.notes(at: "13:00")))
    try stage.run(to: "2026-03-03 09:00")
    try stage.take("preferences.updated", ["reminders": ["notes": ["time": "21:00"]]])
    try stage.run(to: "2026-03-04 09:00")
    try stage.take(
      "preferences.updated", ["quietHours": ["enabled": true, "start": "20:00", "end": "22:00"]])
    try stage.run(to: "2026-03-05 10:00")
    let (noon, one) = (["12:00:00.000Z delivered "], ["13:00:00.000Z delivered "])
    func days(_ first: Int, _ times: [String]) -> [String] {
      [first, first + 1].flatMap { day in times.map { "2026-03-0\(day)T\($0)" } }
    }
    #expect(try ahead(stage, asOf: "2026-03-01 09:00") == days(1, noon))
    #expect(try ahead(stage, asOf: "2026-03-02 08:59") == days(2, noon))
    #expect(try ahead(stage, asOf: "2026-03-02 09:00") == days(2, one))
    #expect(try ahead(stage, asOf: "2026-03-02 13:00") == days(3, one))
    #expect(try ahead(stage, asOf: "2026-03-03 08:59") == days(3, one))
    #expect(
      try ahead(stage, asOf: "2026-03-03 09:00") == days(3, ["21:00:00.000Z delivered "]))
    #expect(
      try ahead(stage, asOf: "2026-03-04 08:59") == days(4, ["21:00:00.000Z delivered "]))
    #expect(
      try ahead(stage, asOf: "2026-03-04 09:00") == days(4, ["22:00:00.000Z delivered quiet_hours"])
    )
  }

  /// The note of 21:00 is held at 21:30, and its hold is known at an instant during the hold.
  @Test func `L8: a held occurrence is explained as of an instant during its hold`() throws {
    let stage = try Stage(catalog: Fixtures.notes(at: "21:00"), at: "2026-03-02 09:00")
    try stage.take(
      "preferences.updated", ["quietHours": ["enabled": true, "start": "20:00", "end": "22:00"]])
    try stage.run(to: "2026-03-02 23:00")
    try stage.take("preferences.updated", ["quietHours": ["enabled": false]])
    let held = try known(stage, asOf: "2026-03-02 21:30")
    let now = try utc("2026-03-02 21:30")
    let explanations = try held.recipient.explain(
      .pending(reminder: "note"), now: now, planner: held.planner)
    #expect(try explanations.first?.planned == utc("2026-03-02 21:00"))
    #expect(try explanations.first?.decision.at == utc("2026-03-02 22:00"))
    let sent = try known(stage, asOf: "2026-03-02 22:00")
    let next = try sent.recipient.explain(
      .pending(reminder: "note"), now: utc("2026-03-02 22:00"), planner: sent.planner)
    #expect(try next.first?.planned == utc("2026-03-03 21:00"))
  }

  /// A cap of one per day counts the notification that was sent before the instant.
  @Test func `L8: the days ahead count what had been sent by then`() throws {
    let stage = try Stage(catalog: Fixtures.notes(), at: "2026-03-02 09:00")
    try stage.take("preferences.updated", ["caps": ["perDay": 1]])
    try stage.run(to: "2026-03-02 12:30")
    let recipient = try #require(try stage.stored()).recipient
    let request: JSONValue = ["category": "NOTE", "title": "Hello", "body": "You."]
    try stage.take("notification.requested", request)
    try stage.run(to: stage.now)
    let capped = try #require(try stage.stored()).recipient
    let instant = stage.now
    let (before, after) = (
      ahead(of: recipient, by: stage.planner, from: instant),
      ahead(of: capped, by: stage.planner, from: instant)
    )
    #expect(before != after)
    try stage.run(to: "2026-03-05 12:30")
    #expect(try ahead(stage, asOf: "2026-03-02 12:30") == after)
  }

  @Test func `L8: the progress before the removed events is not known`() throws {
    let stage = try Stage(catalog: Fixtures.notes(), at: "2026-03-01 09:00")
    try stage.keepEvents(days: 9)
    try stage.take("preferences.updated", ["reminders": ["notes": ["time": "07:30"]]])
    try stage.run(to: "2026-03-02 09:00")
    try stage.take("preferences.updated", ["reminders": ["notes": ["time": "06:00"]]])
    let expected = ["2026-03-02T07:30:00.000Z delivered ", "2026-03-03T07:30:00.000Z delivered "]
    #expect(try ahead(stage, asOf: "2026-03-02 07:00") == expected)
    #expect(try known(stage, asOf: "2026-03-02 07:00").progressStart == nil)
    try stage.run(to: "2026-03-10 21:00")
    #expect(try stage.events().count == 1)
    #expect(try ahead(stage, asOf: "2026-03-02 07:00") == expected)
    #expect(
      try known(stage, asOf: "2026-03-02 07:00").progressStart == utc("2026-03-01 09:00"))
    try stage.run(to: "2026-03-12 09:00")
    #expect(
      try ahead(stage, asOf: "2026-03-02 07:00")
        == ["is before 2026-03-02T09:00:00.000Z, since when the recipient's facts are known"])
  }

  @Test func `L8: an instant that is not known is refused with the reason`() throws {
    let stage = try Stage(catalog: Fixtures.notes(), at: "2026-03-01 09:00")
    #expect(try ahead(stage, asOf: "2026-03-01 09:00") == ["unknown recipient"])
    try stage.run(to: "2026-03-02 09:00")
    try stage.take("recipient.updated", ["locale": "de"])
    #expect(
      try ahead(stage, asOf: "2026-03-02 09:01") == ["is in the future; give a past instant"])
    #expect(
      try ahead(stage, asOf: "2026-03-01 10:00")
        == ["is before 2026-03-02T09:00:00.000Z, since when the recipient's facts are known"])
    #expect(
      try ahead(stage, asOf: "2026-02-28 10:00")
        == ["is before 2026-03-01T09:00:00.000Z, since when catalogs are recorded"])
    try stage.take("recipient.deleted")
    #expect(try ahead(stage, asOf: "2026-03-02 09:00") == ["unknown recipient"])
  }

  /// A later adoption that cannot be read does not matter, an earlier one does.
  @Test func `L8: other time zone rules and unreadable catalogs are named`() throws {
    let stage = try Stage(catalog: Fixtures.notes(), at: "2026-03-01 09:00")
    try stage.take("recipient.updated", ["locale": "de"])
    #expect(try known(stage, asOf: "2026-03-01 09:00").missingZones.isEmpty)
    try stage.core().store.commit { transaction in
      let adoption = try #require(try transaction.adoptions().first)
      func record(_ at: String, catalogs: String, zones: String, _ text: String) throws {
        try transaction.record(
          Adoption(at: utc(at), catalogs: catalogs, zones: zones, settings: adoption.settings),
          text: text)
      }
      let text = stage.planner.catalog.storedText
      try record("2026-03-02 09:00", catalogs: adoption.catalogs, zones: "2019a", text)
      try record("2026-03-03 09:00", catalogs: "gone", zones: "2019a", "no catalog")
    }
    try stage.run(to: "2026-03-04 09:00")
    #expect(try known(stage, asOf: "2026-03-02 08:59").missingZones.isEmpty)
    #expect(try known(stage, asOf: "2026-03-02 09:00").missingZones == ["2019a"])
    #expect(
      try ahead(stage, asOf: "2026-03-03 09:00") == [
        "cannot be answered, because this version cannot read the catalogs that were adopted at "
          + "2026-03-03T09:00:00.000Z"
      ])
  }
}
