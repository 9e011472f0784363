import CivilTime
import Reminders
import TestSupport
import Testing

/// Rule V2 for every gate that can hold: the computed instant is the earliest feasible instant. The
/// test finds that instant by trying every minute, without computing the ends of holds.
@Suite struct JointGatePropertyTests {
  private static let zones: [(zone: String, instant: String)] = [
    ("UTC", "2026-05-05 00:00"), ("Europe/Berlin", "2026-03-29 00:00"),
    ("America/New_York", "2026-11-01 06:00"), ("Africa/Cairo", "2026-04-23 22:00"),
    ("America/Santiago", "2026-09-06 04:00"), ("America/St_Johns", "2010-11-07 02:31"),
    ("Asia/Kathmandu", "2026-05-05 00:00"), ("Antarctica/Troll", "2026-10-25 01:00"),
  ]

  @Test(arguments: Seeds.all)
  func `V2: all gates together open at the earliest feasible instant`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for sample in Self.zones {
      let zone = try Fixtures.zone(sample.zone)
      for _ in 0..<8 {
        let planned =
          try utc(sample.instant) + .minutes(Int.random(in: -1_440..<1_440, using: &random))
        let input = Self.input(planned: planned, zone: zone, &random)
        let decision = Gates.decide(input, from: planned)
        let expected = Self.search(input)
        #expect(decision.outcome == expected.outcome, "seed \(seed): \(sample.zone), \(input)")
        if expected.outcome == .delivered {
          #expect(decision.at == expected.at, "seed \(seed): \(sample.zone), \(input)")
          #expect(
            decision.trace.reasons.isEmpty == (expected.at == planned), "seed \(seed): \(input)")
        }
      }
    }
  }

  private static func input(
    planned: Instant, zone: Zone, _ random: inout SplitMix64
  ) -> GateInput {
    let start = Int.random(in: 0..<1_440, using: &random)
    let end = (start + Int.random(in: 1..<1_440, using: &random)) % 1_440
    var quietHours = QuietHours(
      isEnabled: Bool.random(using: &random), start: LocalTime(minuteOfDay: start) ?? .midnight,
      end: LocalTime(minuteOfDay: end) ?? .midnight,
      days: Int64.random(in: 0...127, using: &random))
    // Up to two further windows, some of a whole day.
    quietHours.others = (0..<Int.random(in: 0...2, using: &random)).map { _ in
      let minute = Bool.random(using: &random) ? 0 : Int.random(in: 0..<1_440, using: &random)
      let end = Bool.random(using: &random) ? 1_440 : Int.random(in: 1..<1_440, using: &random)
      return QuietWindow(
        start: LocalTime(minuteOfDay: minute == end ? 0 : minute) ?? .midnight, endMinute: end,
        days: 1 << Int64.random(in: 0..<7, using: &random))
    }
    var input = GateInput(
      planned: planned, expires: .minutes(Int.random(in: 0..<2_800, using: &random)),
      urgency: Bool.random(using: &random) ? .normal : .high,
      isRepeating: Bool.random(using: &random), isMasterOn: true, isCategoryOn: true, zone: zone,
      quietHours: quietHours)
    let today = zone.date(at: planned)
    func sometimes(_ act: () -> Void) { if Int.random(in: 0..<3, using: &random) == 0 { act() } }
    var days = 0
    var count = 0
    var minutes = 0
    days = Int.random(in: -1...1, using: &random)
    let firstDayBack = today + days + 1
    sometimes {
      input.vacations = [
        Vacation(
          end: zone.instant(of: firstDayBack, at: .midnight),
          release: input.startOfDay(on: firstDayBack))
      ]
    }
    // An announced vacation begins after the release of the first one.
    let first = firstDayBack + 1
    sometimes {
      input.vacations.append(
        Vacation(
          start: zone.instant(of: first, at: .midnight),
          end: zone.instant(of: first + 1, at: .midnight), release: input.startOfDay(on: first + 1))
      )
    }
    sometimes {
      input.rest =
        input.isRepeating
        ? .drops : .holds(until: zone.instant(of: today + 1, at: .midnight))
    }
    minutes = Int.random(in: 1..<600, using: &random)
    sometimes { input.minimumInterval = .minutes(minutes) }
    count = Int.random(in: 1...4, using: &random)
    sometimes { input.capPerDay = count }
    input.countedDeliveries = (0..<Int.random(in: 0..<6, using: &random))
      .map { _ in planned - .minutes(Int.random(in: 0..<1_600, using: &random)) }.sorted()
    return input
  }

  /// Returns the outcome and its instant, by evaluating every minute.
  private static func search(_ input: GateInput) -> (outcome: Outcome, at: Instant) {
    if input.isRepeating, input.rest == .drops { return (.dropped, input.planned) }
    func isAway(at instant: Instant) -> Bool {
      input.vacations.contains {
        $0.start <= instant && input.planned < $0.end && instant < $0.release
      }
    }
    let quiet = QuietMinutes(input.quietHours, in: input.zone, around: input.planned, days: 6)
    var capEnd = input.planned
    for minute in 0..<7_500 {
      let at = input.planned + .minutes(minute)
      let date = input.zone.date(at: at)
      // Where clocks go back over midnight, the first midnight ends the date (rule T2).
      let isResting = if case .holds(let until) = input.rest { at < until } else { false }
      if input.isRepeating, isAway(at: at) { return (.dropped, at) }
      let isSoon =
        if let span = input.minimumInterval, let last = input.countedDeliveries.last {
          at < last + span
        } else { false }
      let sent = input.countedDeliveries.filter { input.zone.date(at: $0) == date }.count
      let isFull = input.capPerDay.map { sent >= $0 } ?? false
      if quiet[minute] || isResting || isAway(at: at) || at < capEnd { continue }
      // Interval and cap are evaluated only where all other gates are open (rule V5).
      if isFull { capEnd = input.startOfDay(on: date + 1) }
      if isSoon || isFull { continue }
      // The time to the expiry does not run during a vacation.
      let awayMinutes =
        input.isRepeating
        ? 0
        : (0..<minute).count { elapsed in
          let instant = input.planned + .minutes(elapsed)
          return input.vacations.contains {
            $0.start > input.planned && $0.start <= instant && instant < $0.release
          }
        }
      let isExpired = at > input.planned + input.expires + .minutes(awayMinutes)
      return (isExpired ? .dropped : .delivered, at)
    }
    return (.dropped, input.planned)
  }
}
