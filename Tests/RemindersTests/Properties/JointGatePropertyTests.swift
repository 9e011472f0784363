import CivilTime
import TestSupport
import Testing

@testable import Reminders

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
    let caps = policyCaps(before: planned, &random)
    sometimes { input.policyCaps = caps }
    return input
  }

  /// Returns one or two caps of the operator, each with up to six deliveries in two weeks.
  private static func policyCaps(
    before planned: Instant, _ random: inout SplitMix64
  ) -> [AppliedCap] {
    (0..<Int.random(in: 1...2, using: &random)).map { _ in
      var cap = PolicyCap(categories: [])
      cap.perDay = [nil, 1, 2].randomElement(using: &random) ?? nil
      cap.perWeek = [nil, 1, 3, 5].randomElement(using: &random) ?? nil
      cap.minimumInterval = [nil, .hours(7)].randomElement(using: &random) ?? nil
      let countedDeliveries = (0..<Int.random(in: 0...6, using: &random)).map { _ in
        planned - .minutes(Int.random(in: 0..<20_000, using: &random))
      }
      return AppliedCap(cap: cap, countedDeliveries: countedDeliveries.sorted())
    }
  }

  /// Returns whether a cap of the operator allows nothing on a date.
  private static func isFull(_ applied: AppliedCap, on date: LocalDate, _ zone: Zone) -> Bool {
    let dates = applied.countedDeliveries.map { zone.date(at: $0) }
    let weekCount = dates.count { date - 6 <= $0 && $0 <= date }
    return (applied.cap.perDay.map { limit in dates.count { $0 == date } >= limit } ?? false)
      || (applied.cap.perWeek.map { weekCount >= $0 } ?? false)
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
      let isTooSoon = input.policyCaps.contains { applied in
        guard let span = applied.cap.minimumInterval, let last = applied.countedDeliveries.last
        else {
          return false
        }
        return at < last + span
      }
      func isFullByPolicy(on date: LocalDate) -> Bool {
        input.policyCaps.contains { Self.isFull($0, on: date, input.zone) }
      }
      if quiet[minute] || isResting || isAway(at: at) || at < capEnd { continue }
      // Interval and cap are evaluated only where all other gates are open (rule V5).
      if isFull { capEnd = input.startOfDay(on: date + 1) }
      if isFullByPolicy(on: date) {
        let free = (1...7).first { !isFullByPolicy(on: date + $0) } ?? 7
        capEnd = max(capEnd, input.startOfDay(on: date + free))
      }
      if isSoon || isFull || isTooSoon || isFullByPolicy(on: date) { continue }
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
