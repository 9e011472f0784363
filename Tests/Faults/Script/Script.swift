import CivilTime
import Reminders
import TestSupport

/// The actions on a service during a diary, in order of time.
struct Script {
  struct Entry {
    let at: Instant
    let act: Act
  }

  private(set) var entries: [Entry] = []
  /// Whether the sink always delivers and no wrong clock is trusted. In that case the service must
  /// match the simulation to the millisecond.
  let isExact: Bool
  /// Whether the sink always delivers, but a wrong clock is trusted. In that case nothing may be
  /// lost.
  let isComplete: Bool

  /// Creates a random script.
  ///
  /// - Parameter hasRealSink: whether the sink is real, and its receiver causes the trouble.
  init(_ diary: Diary, _ random: inout SplitMix64, hasRealSink: Bool = false) {
    let hasTroubles = random.isOne(of: 4) || hasRealSink
    isComplete = random.isOne(of: 4) && !hasTroubles
    isExact = !hasTroubles && !isComplete
    var last: Instant?
    for event in diary.events where event.time != last {
      entries.append(Entry(at: event.time, act: .report))
      last = event.time
    }
    for _ in 0..<random.int(in: 4..<24) { addDisturbance(diary, &random) }
    if hasTroubles {
      addTroubles(diary, &random, of: hasRealSink ? [.answers] : SinkTrouble.simulated)
      if random.isOne(of: 2) { addPause(diary, &random) }
    }
    if isComplete { addExcursions(diary, &random) }
    // Actions at the same instant stay in the order of insertion.
    entries = entries.enumerated()
      .sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
      .map(\.element)
  }

  /// Creates a script of all reports, and of one operation in the middle, during which the disk
  /// fails.
  init(_ diary: Diary, _ point: Sweep.Point) {
    (isExact, isComplete) = (true, false)
    let middle = Self.middle(of: diary)
    var last: Instant?
    for event in diary.events where event.time != last {
      entries.append(Entry(at: event.time, act: .report))
      last = event.time
    }
    let fault = Act.fail(
      .any, at: point.call, isPermanent: point.isPermanent,
      point.call % 2 == 0 ? .powerCut : .killed
    )
    let operation: Act? =
      switch point.operation {
      case .prune: nil
      case .erase: .ask
      case .backUp: .backUp
      case .reload: .reload
      case .restart: .restart
      }
    // Pruning begins a minute after the start, and then every six hours.
    let delay: TimeSpan = point.operation == .prune ? .seconds(59) : .zero
    let length: TimeSpan = point.operation == .prune ? .seconds(10) : .milliseconds(1)
    insert([fault, operation].compactMap { $0 }.map { Entry(at: middle + delay, act: $0) })
    let end = middle + delay + length
    let endIndex = entries.firstIndex { $0.at >= end } ?? entries.endIndex
    entries.insert(Entry(at: end, act: .endFaults), at: endIndex)
  }

  /// Inserts actions at one instant, before the other actions at that instant.
  private mutating func insert(_ newEntries: [Entry]) {
    let index = entries.firstIndex { $0.at >= newEntries[0].at } ?? entries.endIndex
    entries.insert(contentsOf: newEntries, at: index)
  }

  /// Returns the instant in the middle of a diary.
  static func middle(of diary: Diary) -> Instant {
    diary.start + .milliseconds(Int((diary.until - diary.start).milliseconds) / 2)
  }

  /// Adds one disturbance or, rarely, a failed sync and a later power cut.
  private mutating func addDisturbance(_ diary: Diary, _ random: inout SplitMix64) {
    let start = Self.instant(in: diary, &random)
    guard random.isOne(of: 12) else {
      return entries.append(Entry(at: start, act: Self.disturbance(&random)))
    }
    // After a failed sync, the next process reads writes that are not synced, and adds others. Then
    // the power is cut.
    entries.append(
      Entry(
        at: start, act: .fail(.sync, at: random.int(in: 1..<4), isPermanent: false, .killed)))
    let cut = start + .milliseconds(random.int(in: 1_000..<200_000_000))
    entries.append(
      Entry(at: min(cut, diary.until), act: .die(calls: random.int(in: 1..<40), .powerCut)))
  }

  /// Adds leaps of the wall clock ahead, which last long enough to be trusted.
  private mutating func addExcursions(_ diary: Diary, _ random: inout SplitMix64) {
    for _ in 0..<random.int(in: 1..<4) {
      let length = TimeSpan.seconds(random.int(in: 320..<6_000))
      entries.append(
        Entry(
          at: Self.instant(in: diary, &random), act: .leap(by: Self.leap(&random), lasting: length))
      )
    }
  }

  private static func disturbance(_ random: inout SplitMix64) -> Act {
    switch random.int(in: 0..<20) {
    case 0..<6:
      .die(calls: random.int(in: 1..<160), random.pick(Death.allCases))
    case 6..<9:
      .fail(
        random.pick(FaultyCall.allCases), at: random.int(in: 1..<40),
        isPermanent: random.isOne(of: 3), random.pick(Death.allCases))
    case 9: .fill
    case 10: .reload
    case 11: .backUp
    case 12: .leap(by: leap(&random), lasting: .seconds(random.int(in: 1..<280)))
    case 13: .restart
    case 14, 15: .repeatSome
    case 16: .conflict
    case 17: .reportErased
    default: .ask
    }
  }

  /// Returns a span of hours to years.
  private static func leap(_ random: inout SplitMix64) -> TimeSpan {
    random.pick([.hours(2), .days(3), .days(400), .days(4_400)])
  }

  /// Adds troubles of the sink, which end at the end of the diary at the latest.
  private mutating func addTroubles(
    _ diary: Diary, _ random: inout SplitMix64, of kinds: [SinkTrouble]
  ) {
    for _ in 0..<random.int(in: 1..<4) {
      let start = Self.instant(in: diary, &random)
      entries.append(Entry(at: start, act: .trouble(random.pick(kinds))))
      let end = start + .milliseconds(random.int(in: 1_000..<100_000_000))
      entries.append(Entry(at: min(end, diary.until), act: .trouble(nil)))
      // Half of the troubles end with a crash, when the backlog is in flight.
      guard random.isOne(of: 2) else { continue }
      entries.append(
        Entry(at: end, act: .die(calls: random.int(in: 1..<40), random.pick(Death.allCases))))
    }
  }

  /// Pauses the sink for minutes or days.
  private mutating func addPause(_ diary: Diary, _ random: inout SplitMix64) {
    let start = Self.instant(in: diary, &random)
    let end = start + .milliseconds(random.int(in: 1_000..<300_000_000))
    entries.append(Entry(at: start, act: .pause(true)))
    entries.append(Entry(at: min(end, diary.until), act: .pause(false)))
  }

  private static func instant(in diary: Diary, _ random: inout SplitMix64) -> Instant {
    let length = Int((diary.until - diary.start).milliseconds)
    return diary.start + .milliseconds(random.int(in: 1..<length))
  }
}
