import CivilTime
import JSON
import Reminders
import Testing

/// A person's days, written as a test reads them best: what happened, and what was said to them.
///
///     2026-03-02 09:00  lesson 1
///     2026-03-02 21:00  > daily-checkin-reminder
///     2026-03-03 09:00  > daily-lesson-reminder "Day 2 Lesson Ready"
///     2026-03-03 10:00  end
///
/// Times are UTC, and so is the recipient's zone until a `zone` line. A line tells of
/// - an event: `event TYPE {...}`, or in short `relapse`, `lesson 3`, `milestone 7`,
///   `zone Asia/Tokyo`, `off checkin lesson`, `set checkin 22:00`, `quiet 22:00 06:00`,
///   `prefs {...}`, ...; with `@ 2026-03-01 12:00` at its end it happened then and arrives only
///   now;
/// - the world: `jump` (the clock is set, or the service comes back), `rewind` (a clock that ran
///   ahead is set right), `restart` (the recipient is written and read back), `fire` (once more,
///   though nothing asked for it), `catalog NAME`;
/// - what must come of it: `>` delivered, `x` dropped, `+` put into a digest, `!` refused. `of`
///   gives the planned instant where it is another, and in brackets stand the reasons.
///
/// Nothing else may happen. A title is compared where one is written.
struct Diary {
  private var player: Player
  private let catalogs: [String: Planner]
  private var seen = 0
  private var lines: [String] = []

  private init(start: Instant, catalogs: [String: Planner], planner: Planner) {
    self.catalogs = catalogs
    player = Player(planner: planner, now: start)
  }

  /// Plays what happens in the script and compares what comes of it with what it says.
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
    let place = index ?? min(actual.count, expected.count)
    func line(_ lines: [String]) -> String { place < lines.count ? lines[place] : "nothing more" }
    return "line \(place + 1) is\n  \(line(actual))\nbut must be\n  \(line(expected))\n"
      + "the whole:\n" + actual.joined(separator: "\n")
  }

  private mutating func play(_ line: DiaryLine) throws {
    guard !line.isOutcome else { return }
    if !["jump", "rewind"].contains(line.act) { player.advance(to: line.time) }
    noteOutcomes()
    lines.append(line.text)
    do {
      try perform(line)
    } catch let refusal as Refusal {
      lines.append("\(DiaryLine.written(line.time)) ! \(refusal)")
    }
    noteOutcomes()
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
      try player.take(event.type, event.data, at: line.happened)
      // What an event makes due goes out at once, as the service does it.
      player.advance(to: line.time)
    }
  }

  private mutating func noteOutcomes() {
    for entry in player.entries[seen...] { lines.append(DiaryLine.written(entry)) }
    seen = player.entries.count
  }
}
