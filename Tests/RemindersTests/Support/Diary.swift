import CivilTime
import JSON
import Reminders
import Testing

/// A script of a recipient's days: events, and their expected outcomes.
///
///     2026-03-02 09:00  lesson 1
///     2026-03-02 21:00  > daily-checkin-reminder
///     2026-03-03 09:00  > daily-lesson-reminder "Day 2 Lesson Ready"
///     2026-03-03 10:00  end
///
/// Times are UTC, which is also the recipient's zone until a `zone` line. A line is one of these:
/// - An event: `event TYPE {...}`, or a short form such as `relapse`, `lesson 3`, `milestone 7`,
///   `zone Asia/Tokyo`, `off checkin lesson`, `set checkin 22:00`, `quiet 22:00 06:00`,
///   `prefs {...}` or `say {...}`, which requests a notification. `DiaryLine.event` lists them all.
///   With `@ 2026-03-01 12:00` at its end, the event has that time and arrives late.
/// - An action: `jump` (the clock is set, or the service was down), `rewind` (a clock that ran
///   ahead is corrected), `restart` (the recipient is written and read again), `fire` (fires once
///   more without a reason) or `catalog NAME`.
/// - An outcome: `>` delivered, `x` dropped, `+` put into a digest, `!` refused. `of` gives the
///   planned instant if it differs, and the reasons follow in brackets.
///
/// Any other outcome is an error. A title is compared only if the line has one.
struct Diary {
  private var player: Player
  private let catalogs: [String: Planner]
  private var entryCount = 0
  private var lines: [String] = []

  private init(start: Instant, catalogs: [String: Planner], planner: Planner) {
    self.catalogs = catalogs
    player = Player(planner: planner, now: start)
  }

  /// Plays the events of the script and compares the outcomes with its expectations.
  static func expect(
    _ script: String, catalog: String? = nil, alternatives: [String: String] = [:],
    defaultZone: String = "UTC", requirements: [Channel: Requirement] = [:],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let expected = lines(of: script)
    let start = try DiaryLine(#require(expected.first)).time
    var diary = Diary(
      start: start,
      catalogs: try alternatives.mapValues {
        try Fixtures.planner(catalog: $0, defaultZone: defaultZone)
      },
      planner: try Fixtures.planner(
        catalog: catalog, defaultZone: defaultZone, requirements: requirements))
    for line in expected { try diary.play(DiaryLine(line)) }
    let actual = zip(diary.lines, expected + repeatElement("", count: diary.lines.count))
      .map { $1.contains("\"") || $1.contains("!") ? $0 : DiaryLine.withoutTitle($0) }
    #expect(
      actual == expected, Comment(rawValue: difference(actual, expected)),
      sourceLocation: sourceLocation)
  }

  private static func lines(of script: String) -> [String] {
    script.split(separator: "\n")
      .map { $0.split(separator: " ").joined(separator: " ") }
      .filter { !$0.isEmpty && !$0.hasPrefix("#") }
  }

  private static func difference(_ actual: [String], _ expected: [String]) -> String {
    let index = zip(actual, expected).enumerated().first { $1.0 != $1.1 }?.offset
    let difference = index ?? min(actual.count, expected.count)
    func line(_ lines: [String]) -> String {
      difference < lines.count ? lines[difference] : "missing"
    }
    return "line \(difference + 1) is\n  \(line(actual))\nexpected\n  \(line(expected))\n"
      + "all lines:\n" + actual.joined(separator: "\n")
  }

  private mutating func play(_ line: DiaryLine) throws {
    guard !line.isOutcome else { return }
    if !["jump", "rewind"].contains(line.act) { player.advance(to: line.time) }
    appendOutcomes()
    lines.append(line.text)
    do {
      try perform(line)
    } catch let refusal as Refusal {
      lines.append("\(DiaryLine.format(line.time)) ! \(refusal)")
    }
    appendOutcomes()
  }

  private mutating func perform(_ line: DiaryLine) throws {
    switch line.act {
    case "end": break
    case "jump", "fire": player.jump(to: line.time)
    case "rewind": player.rewind(to: line.time)
    case "restart": try player.restart()
    case "catalog": player.change(to: try #require(catalogs[line.argument]))
    default:
      let event = try line.event()
      try player.take(event.type, event.data, at: line.eventTime)
      // Occurrences that an event makes due go out at once, as in the service.
      player.advance(to: line.time)
    }
  }

  private mutating func appendOutcomes() {
    for entry in player.entries[entryCount...] { lines.append(DiaryLine.format(entry)) }
    entryCount = player.entries.count
  }
}
