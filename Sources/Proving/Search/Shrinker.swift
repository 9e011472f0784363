import CivilTime
import JSON

/// Finds a small world that still breaks the same rule by the same reminder.
struct Shrinker {
  private var judge: Judge
  private let identity: Finding.Identity
  /// The number of worlds that may still be tried.
  private var trials = 400

  init(_ judge: Judge, _ identity: Finding.Identity) {
    (self.judge, self.identity) = (judge, identity)
  }

  /// Returns the finding of the smallest world found; nil if `world` does not break the rule.
  ///
  /// - Parameter isOver: whether the time for the search is over.
  mutating func smallest(from world: World, isOver: () -> Bool) throws -> Finding? {
    guard var best = try finding(in: world) else { return nil }
    var smallest = world
    var isSmaller = true
    while isSmaller, trials > 0 {
      isSmaller = false
      for candidate in Self.candidates(smallest) where trials > 0 && !isOver() {
        trials -= 1
        guard let found = try finding(in: candidate) else { continue }
        (smallest, best, isSmaller) = (candidate, found, true)
        break
      }
    }
    return best
  }

  private mutating func finding(in world: World) throws -> Finding? {
    judge.stage.clear()
    return try judge.findings(of: identity.rule, in: world).first { $0.identity == identity }
  }

  /// Returns smaller worlds, the smallest first.
  private static func candidates(_ world: World) -> [World] {
    halves(world) + withoutOne(world) + withoutMember(world) + shorter(world)
  }

  private static func halves(_ world: World) -> [World] {
    guard world.acts.count > 4 else { return [] }
    let middle = world.acts.count / 2
    return [world.acts[..<middle], world.acts[middle...]].map { half in
      world.keeping { half.contains($0) }
    }
  }

  private static func withoutOne(_ world: World) -> [World] {
    world.acts.indices.reversed().map { index in
      var smaller = world
      smaller.acts.remove(at: index)
      return smaller
    }
  }

  /// Removes one member of one profile or preferences document.
  private static func withoutMember(_ world: World) -> [World] {
    world.acts.indices.flatMap { index -> [World] in
      let act = world.acts[index]
      guard act.role != .fact, act.data.count > 1 else { return [] }
      return act.data.members.map { member in
        var smaller = world
        var data = JSONObject()
        for other in act.data.members where other.key != member.key {
          data[other.key] = other.value
        }
        smaller.acts[index].data = data
        return smaller
      }
    }
  }

  private static func shorter(_ world: World) -> [World] {
    guard let start = world.acts.first?.time, world.dayCount > 1 else { return [] }
    var smaller = world
    smaller.until = start + .days(world.dayCount / 2)
    return [smaller]
  }
}
