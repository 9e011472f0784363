import CivilTime
import Reminders
import Testing

@Suite struct TempTimingTests {
  @Test(arguments: Crowded.Load.allCases)
  func timing(load: Crowded.Load) throws {
    let clock = ContinuousClock()
    for count in [250, 1_000] {
      let person = try Crowded(load, count: count)
      var copy = person
      let more = try person.request(-1, at: person.last + .hours(1))
      let event = clock.measure { copy.take(more) }
      let pending = clock.measure {
        _ = person.recipient.pending(now: person.now, planner: person.planner)
      }
      copy = person
      let fire = clock.measure { _ = copy.fire(at: copy.last) }
      print("TIMING \(load) \(count): event \(event), pending \(pending), fire all \(fire)")
    }
  }
}
