import CivilTime
import JSON
import Reminders
import TestSupport
import Testing

/// Disturbances do not change the deliveries.
@Suite struct DisturbancePropertyTests {
  @Test(arguments: Seeds.all)
  func `T6: firing at additional instants changes nothing`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<10 {
      let life = try Life(seed: random.next())
      let disturbances = (0..<60).map { _ in
        Disturbance(at: life.start + .minutes(Int.random(in: 0..<25_000, using: &random))) {
          $0.jump(to: $0.now)
        }
      }
      expectSame(try Player.play(life, disturbances), try Player.play(life), "seed \(seed)")
    }
  }

  @Test(arguments: Seeds.all)
  func `T6: a clock that steps back and forward changes nothing`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<10 {
      let life = try Life(seed: random.next())
      let disturbances = (0..<60).map { _ in
        let step = TimeSpan.minutes(Int.random(in: 1..<3_000, using: &random))
        return Disturbance(
          at: life.start + .minutes(Int.random(in: 0..<25_000, using: &random))
        ) {
          let now = $0.now
          $0.jump(to: now - step)
          $0.jump(to: now)
        }
      }
      expectSame(try Player.play(life, disturbances), try Player.play(life), "seed \(seed)")
    }
  }

  @Test(arguments: Seeds.all)
  func `T6: a restart at any instant changes nothing`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<10 {
      let life = try Life(seed: random.next())
      let player = try Player.play(life) { player in
        if Bool.random(using: &random) { try player.restart() }
      }
      expectSame(player, try Player.play(life), "seed \(seed)")
    }
  }

  /// Bundling is off. Otherwise, occurrences due while notifications are switched off could become
  /// members of a later digest.
  @Test(arguments: Seeds.all)
  func `I5: switching notifications off and on affects only occurrences due between`(
    seed: UInt64
  ) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<10 {
      let life = try Life(seed: random.next())
      let off = life.start + .minutes(Int.random(in: 60..<14_400, using: &random))
      let on = off + .minutes(Int.random(in: 1..<2_880, using: &random))
      let endOfBundling = Disturbance(at: life.start) {
        try $0.take("preferences.updated", ["bundling": ["threshold": 0]])
      }
      let expected = try Player.play(life, [endOfBundling])
      let switches = [(off, false), (on, true)].map { time, isOn in
        Disturbance(at: time) {
          try $0.take("preferences.updated", ["master": .bool(isOn)])
        }
      }
      let actual = try Player.play(life, [endOfBundling] + switches)
      let dueMeanwhile = expected.entries.filter { $0.planned <= on && $0.at >= off }
      expectSame(actual, expected, except: dueMeanwhile, "seed \(seed)")
    }
  }
}
