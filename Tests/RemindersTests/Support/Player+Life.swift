import CivilTime
import Reminders
import Testing

/// An action on a recipient at an instant of a life.
struct Disturbance {
  let time: Instant
  let act: (inout Player) throws -> Void

  init(at time: Instant, act: @escaping (inout Player) throws -> Void) {
    self.time = time
    self.act = act
  }
}

extension Player {
  /// Plays a life to its end.
  ///
  /// - Parameter each: Called after each firing, before each event or disturbance, and at the end.
  static func play(
    _ life: Life, _ disturbances: [Disturbance] = [],
    each: (inout Player) throws -> Void = { _ in }
  ) throws -> Player {
    var player = Player(planner: try Fixtures.planner(), now: life.start)
    let events = life.happenings.map { happening in
      Disturbance(at: happening.time) { try $0.take(happening.type, happening.data) }
    }
    // At the same instant, events precede disturbances.
    let steps = (events + disturbances).enumerated().sorted {
      ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
    }
    for (_, step) in steps {
      try player.advance(to: step.time, each: each)
      try step.act(&player)
    }
    try player.advance(to: life.until, each: each)
    return player
  }

  private mutating func advance(
    to instant: Instant, each: (inout Player) throws -> Void
  ) throws {
    while let due = nextDue, due <= instant {
      jump(to: max(due, now))
      try each(&self)
    }
    advance(to: instant)
    try each(&self)
  }
}

/// Expects the same outcomes from two players.
///
/// - Parameter excluded: Entries whose occurrences are ignored. If it is not empty, bodies are
///   ignored too, because each text depends on the previous text.
func expectSame(
  _ actual: Player, _ expected: Player, except excluded: [Player.Entry] = [],
  _ comment: String, sourceLocation: SourceLocation = #_sourceLocation
) {
  let ignoredOccurrences = Set(excluded.map(\.occurrence))
  func lines(_ player: Player) -> [String] {
    player.entries.filter { !ignoredOccurrences.contains($0.occurrence) }.map {
      DiaryLine.format($0) + (ignoredOccurrences.isEmpty ? " " + $0.body : "")
    }
  }
  let (actual, expected) = (lines(actual), lines(expected))
  guard actual != expected else { return }
  let difference = zip(actual, expected).enumerated().first { $1.0 != $1.1 }?.offset
  let index = difference ?? min(actual.count, expected.count)
  Issue.record(
    """
    \(comment): entry \(index + 1) is
      \(index < actual.count ? actual[index] : "nothing")
    but must be
      \(index < expected.count ? expected[index] : "nothing")
    """, sourceLocation: sourceLocation)
}

extension Player.Entry {
  /// The identifier of the occurrence.
  var occurrence: String { "\(reminder) \(key)" }
}
