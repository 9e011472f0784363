import Reminders

/// Plays worlds, and remembers the plays of one world and its parts.
struct Stage {
  let planner: Planner
  private var plays: [World: Play] = [:]
  /// The number of plays so far.
  private(set) var count = 0

  init(_ planner: Planner) {
    self.planner = planner
  }

  /// Returns the play of a world, which is played once until the next `clear()`.
  mutating func play(_ world: World) throws -> Play {
    if let play = plays[world] { return play }
    let play = try Play(world, planner)
    plays[world] = play
    count += 1
    return play
  }

  /// Forgets all plays, because another world follows.
  mutating func clear() { plays = [:] }
}
