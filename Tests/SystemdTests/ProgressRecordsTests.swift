import Systemd
import Testing

/// The life of a subsystem that is registered at second 0 with an allowance of 10 s.
struct ProgressScenario: CustomTestStringConvertible {
  enum Step {
    case note(at: Int)
    case idle(until: Int?)
    case expect(at: Int)
    case remove
  }

  let testDescription: String
  let steps: [Step]
  /// The seconds at which the subsystem is fresh, and those at which it is stalled.
  let fresh: [Int]
  let stalled: [Int]

  init(_ description: String, _ steps: [Step], fresh: [Int], stalled: [Int]) {
    testDescription = description
    self.steps = steps
    self.fresh = fresh
    self.stalled = stalled
  }

  static let all = [
    ProgressScenario("never notes progress", [], fresh: [0, 10], stalled: [11, 1_000]),
    ProgressScenario("notes progress", [.note(at: 5)], fresh: [5, 15], stalled: [16]),
    ProgressScenario("sleeps long", [.idle(until: 3_600)], fresh: [11, 3_610], stalled: [3_611]),
    ProgressScenario(
      "sleeps, then wakes", [.idle(until: 3_600), .note(at: 3_601)], fresh: [3_611],
      stalled: [3_612]),
    ProgressScenario(
      "has nothing to do", [.idle(until: nil)], fresh: [11, 1_000_000], stalled: []),
    ProgressScenario(
      "gets work while it is idle", [.idle(until: nil), .expect(at: 100)],
      fresh: [100, 110], stalled: [111]),
    ProgressScenario(
      "gets work while it sleeps", [.idle(until: 3_600), .expect(at: 100)],
      fresh: [100, 110], stalled: [111]),
    ProgressScenario(
      "gets work after it overslept", [.idle(until: 50), .expect(at: 58)],
      fresh: [60], stalled: [61]),
    ProgressScenario(
      "gets more work while it hangs", [.expect(at: 5), .expect(at: 9)], fresh: [10],
      stalled: [11]),
    ProgressScenario(
      "finishes its work",
      [.idle(until: nil), .expect(at: 100), .note(at: 105), .idle(until: nil)],
      fresh: [111, 10_000], stalled: []),
    ProgressScenario("leaves", [.remove], fresh: [11, 10_000], stalled: []),
    ProgressScenario(
      "notes progress after it left", [.remove, .note(at: 1)], fresh: [100], stalled: []),
  ]

  func play() -> ProgressRecords {
    var records = ProgressRecords()
    let index = records.add("wheel", allowance: .seconds(10), at: .second(0))
    for step in steps {
      switch step {
      case .note(let second): records.note(index, at: .second(second))
      case .idle(let second): records.idle(index, until: second.map { .second($0) })
      case .expect(let second): records.expect(index, at: .second(second))
      case .remove: records.remove(index)
      }
    }
    return records
  }
}

@Suite struct ProgressRecordsTests {
  @Test(arguments: ProgressScenario.all)
  func `a subsystem stalls when its allowance is over`(scenario: ProgressScenario) {
    let records = scenario.play()
    for second in scenario.fresh {
      #expect(records.stale(at: .second(second)) == [], "at \(second) s")
    }
    for second in scenario.stalled {
      #expect(records.stale(at: .second(second)) == ["wheel"], "at \(second) s")
    }
  }

  @Test func `stalled subsystems are listed in order of registration`() {
    var records = ProgressRecords()
    let wheel = records.add("wheel", allowance: .seconds(5), at: .second(0))
    let lane = records.add("lane smtp", allowance: .seconds(60), at: .second(0))
    _ = records.add("writer", allowance: .seconds(5), at: .second(0))
    #expect(records.stale(at: .second(6)) == ["wheel", "writer"])
    records.note(wheel, at: .second(6))
    #expect(records.stale(at: .second(7)) == ["writer"])
    records.remove(lane)
    #expect(records.stale(at: .second(100)) == ["wheel", "writer"])
    let replacement = records.add("lane ntfy", allowance: .seconds(60), at: .second(100))
    records.note(lane, at: .second(200))
    #expect(replacement != lane)
    #expect(records.stale(at: .second(161)) == ["wheel", "writer", "lane ntfy"])
  }

  @Test func `heartbeats record the progress of their handles`() {
    let heartbeats = Heartbeats()
    let wheel = heartbeats.register("wheel", allowance: .seconds(5), at: .second(0))
    let writer = heartbeats.register("writer", allowance: .seconds(5), at: .second(0))
    writer.idle(until: nil)
    #expect(heartbeats.stale(at: .second(6)) == ["wheel"])
    wheel.note(at: .second(6))
    writer.expect(at: .second(6))
    #expect(heartbeats.stale(at: .second(11)) == [])
    #expect(heartbeats.stale(at: .second(12)) == ["wheel", "writer"])
    writer.retire()
    #expect(heartbeats.stale(at: .second(12)) == ["wheel"])
  }

  @Test func `the age counts from the last note or the missed wake-up`() {
    var records = ProgressRecords()
    let working = records.add("working", allowance: .seconds(10), at: .second(0))
    let asleep = records.add("asleep", allowance: .seconds(10), at: .second(0))
    let resting = records.add("resting", allowance: .seconds(10), at: .second(0))
    let gone = records.add("gone", allowance: .seconds(10), at: .second(0))
    records.note(working, at: .second(1))
    records.idle(asleep, until: .second(5))
    records.idle(resting, until: nil)
    records.remove(gone)
    let ages = { (second: Int) in records.ages(at: .second(second)).map(\.age) }
    #expect(records.ages(at: .second(4)).map(\.name) == ["working", "asleep", "resting"])
    #expect(ages(4) == [.seconds(3), .zero, .zero])
    #expect(ages(7) == [.seconds(6), .seconds(2), .zero])
  }
}
