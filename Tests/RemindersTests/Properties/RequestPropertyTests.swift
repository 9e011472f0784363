import CivilTime
import JSON
import Reminders
import TestSupport
import Testing

/// Rule E6: the order of the events in one HTTP request has no effect.
@Suite struct RequestPropertyTests {
  @Test(arguments: Seeds.all)
  func `E6: any order of the events in one HTTP request has the same result`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let planner = try Fixtures.planner()
    for _ in 0..<10 {
      let life = try Life(seed: random.next())
      let reader = EventReader(planner: planner)
      let events = try life.happenings.enumerated().map { index, happening in
        let json: JSONValue = [
          "specversion": "1.0", "id": .string("\(index)"), "source": "test",
          "type": .string(happening.type), "subject": "amina",
          "time": .string(happening.time.description), "data": happening.data,
        ]
        return Arrival(try reader.event(json, now: nil), order: Int64(index))
      }
      let count = Int.random(in: 0..<events.count, using: &random)
      let (earlier, request) = (Array(events[..<count]), Array(events[count...]))
      let now = life.until
      let expected = try Self.result(earlier, request, now, planner)
      for _ in 0..<5 {
        let actual = try Self.result(earlier, request.shuffled(using: &random), now, planner)
        try #require(actual == expected, "seed \(seed)")
      }
    }
  }

  /// The result of handling an HTTP request.
  private struct RequestResult: Equatable {
    var firings: Set<Firing>
    var schedule: Schedule
    var facts: Facts
  }

  /// Handles earlier events one by one, each at its time, and then the events of one request at
  /// `now`.
  private static func result(
    _ earlier: [Arrival], _ request: [Arrival], _ now: Instant, _ planner: Planner
  ) throws -> RequestResult {
    let start = try #require(earlier.first ?? request.first).event.time
    var recipient = Recipient(name: "amina", now: start)
    for arrival in earlier {
      recipient.apply([arrival], now: arrival.event.time, planner: planner)
      _ = recipient.fire(now: arrival.event.time, planner: planner)
    }
    recipient.apply(request, now: now, planner: planner)
    let (firings, schedule) = recipient.fire(now: now, planner: planner)
    return RequestResult(firings: Set(firings), schedule: schedule, facts: recipient.facts)
  }
}
