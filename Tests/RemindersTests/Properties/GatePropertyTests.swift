import CivilTime
import JSON
import Reminders
import TestSupport
import Testing

/// Rules V2 and V3, compared with an exhaustive search.
@Suite struct GatePropertyTests {
  private static let nights: [(zone: String, instant: String)] = [
    ("UTC", "2026-05-05 00:00"), ("America/New_York", "2026-03-08 07:00"),
    ("America/New_York", "2026-11-01 06:00"), ("Australia/Lord_Howe", "2026-04-04 15:00"),
    ("Australia/Lord_Howe", "2026-10-03 15:30"), ("Africa/Cairo", "2026-04-23 22:00"),
    ("Africa/Cairo", "2026-10-29 21:00"), ("America/Santiago", "2026-09-06 04:00"),
    ("Asia/Beirut", "2026-10-24 21:00"), ("Antarctica/Troll", "2026-03-29 01:00"),
    ("Asia/Kathmandu", "2026-05-05 00:00"),
  ]

  @Test(arguments: Seeds.all)
  func `V2: the computed instant is the earliest feasible instant`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let base = try Self.input()
    for night in Self.nights {
      for _ in 0..<6 {
        var input = base
        input.zone = try Fixtures.zone(night.zone)
        input.quietHours = Self.quietHours(&random)
        input.planned =
          try utc(night.instant) + .minutes(Int.random(in: -1_440..<1_440, using: &random))
        input.expires = .minutes(Int.random(in: 0..<1_500, using: &random))
        let decision = Gates.decide(input, from: input.planned)
        let actual = GateResult(
          outcome: decision.outcome, at: decision.at, reasons: decision.trace.reasons)
        let expected = Self.search(input)
        let comment = "seed \(seed): \(night.zone), \(input.quietHours), planned \(input.planned)"
        guard expected.outcome == .dropped else {
          #expect(actual == expected, "\(comment)")
          continue
        }
        // If clocks skip both the end of a window and the start of the next one, the search treats
        // these as one window. The gates drop the occurrence already at the end of the first one,
        // if that is after the expiry.
        #expect(actual.outcome == .dropped && actual.reasons == expected.reasons, "\(comment)")
        #expect(actual.at > input.expiry && actual.at <= expected.at, "\(comment)")
      }
    }
  }

  private struct GateResult: Equatable {
    var outcome: Outcome
    var at: Instant
    var reasons: [String]
  }

  /// Searches for the first minute outside quiet hours.
  private static func search(_ input: GateInput) -> GateResult {
    let quiet = QuietMinutes(input.quietHours, in: input.zone, around: input.planned)
    var minutes = 0
    while quiet[minutes] { minutes += 1 }
    let at = input.planned + .minutes(minutes)
    let reasons = minutes > 0 ? ["quiet_hours"] : []
    guard at > input.expiry else {
      return GateResult(outcome: .delivered, at: at, reasons: reasons)
    }
    return GateResult(outcome: .dropped, at: at, reasons: reasons + ["expired"])
  }

  /// Returns quiet hours with a random window. About half of the windows are short, and about half
  /// apply only on some days.
  private static func quietHours(_ random: inout SplitMix64) -> QuietHours {
    let start = Int.random(in: 0..<1_440, using: &random)
    let length = Bool.random(using: &random) ? 1..<120 : 1..<1_440
    let end = (start + Int.random(in: length, using: &random)) % 1_440
    return QuietHours(
      isEnabled: true, start: LocalTime(minuteOfDay: start) ?? .midnight,
      end: LocalTime(minuteOfDay: end) ?? .midnight,
      days: Bool.random(using: &random) ? 0b111_1111 : Int64.random(in: 0...127, using: &random))
  }

  private static func input() throws -> GateInput {
    var player = Player(
      planner: try Fixtures.planner(catalog: Fixtures.noteCatalog()),
      now: try utc("2026-01-01 00:00"))
    try player.take("checkin.completed")
    let context = PlanningContext(facts: player.recipient.facts, planner: player.planner)
    let reminder = try #require(context.catalog.reminder(Symbol("note")))
    return context.gateInput(
      reminder, key: 0, planned: player.now, channelGroup: .interrupting, countedDeliveries: [])
  }
}
