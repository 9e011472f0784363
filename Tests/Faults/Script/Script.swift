import CivilTime
import Reminders
import TestSupport

/// What is done to a service while the days of a diary pass, in order of time.
struct Script {
  struct Entry {
    let at: Instant
    let act: Act
  }

  private(set) var entries: [Entry] = []
  /// Whether the sink always delivers: then the service says what the simulation says, to the
  /// millisecond.
  let isExact: Bool

  init(_ diary: Diary, _ random: inout SplitMix64) {
    isExact = !random.isOne(of: 4)
    var last: Instant?
    for event in diary.events where event.time != last {
      entries.append(Entry(at: event.time, act: .report))
      last = event.time
    }
    for _ in 0..<random.int(in: 4..<24) { addDisturbance(diary, &random) }
    if !isExact { addTroubles(diary, &random) }
    // Of the same instant in the order in which they were added.
    entries = entries.enumerated()
      .sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
      .map(\.element)
  }

  private mutating func addDisturbance(_ diary: Diary, _ random: inout SplitMix64) {
    entries.append(Entry(at: Self.instant(in: diary, &random), act: Self.disturbance(&random)))
  }

  private static func disturbance(_ random: inout SplitMix64) -> Act {
    switch random.int(in: 0..<20) {
    case 0..<6:
      .die(calls: random.int(in: 1..<160), random.pick(Death.allCases))
    case 6..<9:
      .fail(
        random.pick(FaultyCall.allCases), after: random.int(in: 1..<40),
        isForGood: random.isOne(of: 3))
    case 9: .fill
    case 10: .reload
    case 11: .backUp
    case 12: .leap(by: leap(&random), lasting: .seconds(random.int(in: 1..<280)))
    case 13: .restart
    case 14, 15: .repeatSome
    case 16: .conflict
    case 17: .bringBack
    default: .ask
    }
  }

  /// Hours to years ahead.
  private static func leap(_ random: inout SplitMix64) -> TimeSpan {
    random.pick([.hours(2), .days(3), .days(400), .days(4_400)])
  }

  /// Troubles come and go, and are over before the last day.
  private mutating func addTroubles(_ diary: Diary, _ random: inout SplitMix64) {
    for _ in 0..<random.int(in: 1..<4) {
      let start = Self.instant(in: diary, &random)
      entries.append(Entry(at: start, act: .trouble(random.pick(SinkTrouble.allCases))))
      let end = start + .milliseconds(random.int(in: 1_000..<100_000_000))
      entries.append(Entry(at: min(end, diary.until), act: .trouble(nil)))
      // What has waited for the end is under way then.
      guard random.isOne(of: 2) else { continue }
      entries.append(
        Entry(at: end, act: .die(calls: random.int(in: 1..<40), random.pick(Death.allCases))))
    }
  }

  private static func instant(in diary: Diary, _ random: inout SplitMix64) -> Instant {
    let length = Int((diary.until - diary.start).milliseconds)
    return diary.start + .milliseconds(random.int(in: 1..<length))
  }
}
