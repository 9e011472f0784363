import CivilTime
import JSON
import Reminders
import TestSupport
import Testing

/// Rules T8 and V4: it makes no difference how fast the service handles events.
@Suite struct HandlingPropertyTests {
  private struct Report {
    let time: Instant
    let type: String
    let data: JSONValue
    let id: String
  }

  @Test(arguments: Seeds.all)
  func `T8: an event that is handled late takes effect at its time`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for number in 0..<12 {
      let planner = try Fixtures.planner(catalog: SlotDay.catalog)
      let start = try utc("2026-03-05 06:00")
      let reports = Self.reports(from: start, &random)
      var (prompt, late) = (
        Player(planner: planner, now: start), Player(planner: planner, now: start)
      )
      for report in reports {
        prompt.advance(to: report.time)
        try prompt.take(report.type, report.data, id: report.id)
        prompt.advance(to: report.time)
        late.advance(to: report.time)
        // The event is handled before the next occurrence is due.
        let delayMax = late.nextDue.map { $0 - report.time - .milliseconds(1) } ?? .seconds(20)
        let delay = min(delayMax, .milliseconds(Int.random(in: 1..<20_000, using: &random)))
        late.advance(to: report.time + max(delay, .zero))
        try late.take(report.type, report.data, at: report.time, id: report.id)
        late.advance(to: late.now)
      }
      prompt.advance(to: start + .days(8))
      late.advance(to: start + .days(8))
      #expect(prompt.entries == late.entries, "seed \(seed), life \(number)")
    }
  }

  /// Returns reports that are at least 25 seconds apart, so that each is handled before the next.
  private static func reports(from start: Instant, _ random: inout SplitMix64) -> [Report] {
    var time = start
    return (0..<40).map { number in
      time += .seconds(Int.random(in: 25..<14_000, using: &random))
      let (type, data) = report(at: time, number, &random)
      return Report(time: time, type: type, data: data, id: "\(number)")
    }
  }

  private static func report(
    at time: Instant, _ number: Int, _ random: inout SplitMix64
  ) -> (String, JSONValue) {
    func pick<Choice>(_ choices: [Choice]) -> Choice {
      choices[Int.random(in: 0..<choices.count, using: &random)]
    }
    let day = LocalDate(daysSinceEpoch: Int(time.milliseconds / 86_400_000))
    switch Int.random(in: 0..<10, using: &random) {
    case 0:
      let until = JSONValue.string((day + pick([2, 3])).description)
      guard Bool.random(using: &random) else {
        return ("vacation.started", ["until": .string((day + pick([0, 1])).description)])
      }
      return (
        "vacation.started", ["from": .string((day + pick([0, 1])).description), "until": until]
      )
    case 1: return ("vacation.ended", [:])
    case 2: return ("preferences.updated", ["caps": ["perDay": pick([nil, 1, 2])]])
    case 3: return ("preferences.updated", ["caps": ["minInterval": pick([nil, "2h", "10m"])]])
    case 4:
      return (
        "preferences.updated",
        [
          "quietHours": [
            "enabled": pick([true, false]), "start": pick(["22:00", "12:00"]), "end": "07:00",
          ]
        ]
      )
    case 5: return ("notification.cancelled", ["notification": .string("\(number - 1)")])
    default:
      var request: JSONObject = [
        "category": pick(["LOW", "NORMAL", "HIGH"]), "title": .string("wish \(number)"),
        "body": "b", "expires": pick(["1h", "12h", "1d"]),
      ]
      if Bool.random(using: &random) {
        let at = time + .minutes(Int.random(in: 1..<900, using: &random))
        request["at"] = .string(at.description)
      }
      return ("notification.requested", .object(request))
    }
  }
}
