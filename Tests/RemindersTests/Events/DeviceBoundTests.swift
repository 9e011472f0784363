import CivilTime
import JSON
import Reminders
import TestSupport
import Testing

/// Rule H12: only the devices that were reported last are remembered, so that a recipient with
/// thousands of devices needs little memory.
@Suite struct DeviceBoundTests {
  /// Returns registrations of devices, and removals of some of these devices, each at its own time.
  private static func events(_ count: Int) throws -> [(event: Event, order: Int64)] {
    let reader = EventReader(planner: try Fixtures.planner())
    let start = try utc("2026-03-02 09:00")
    return try (0..<count).map { number in
      let isRemoval = number % 7 == 6
      var data: JSONObject = ["deviceId": .string("d\(number % 7 == 6 ? number - 5 : number)")]
      if !isRemoval { data["platform"] = "ios" }
      if !isRemoval { data["token"] = .string("t\(number)") }
      let event: JSONValue = [
        "specversion": "1.0", "id": .string("\(number)"), "source": "test",
        "type": .string(isRemoval ? "device.removed" : "device.registered"), "subject": "amina",
        "time": .string((start + .seconds(number)).description), "data": .object(data),
      ]
      return (try reader.event(event, now: nil), Int64(number))
    }
  }

  private static func facts(_ events: [(event: Event, order: Int64)]) -> Facts {
    events.reduce(into: Facts()) { $0.fold($1.event, order: $1.order, memory: nil) }
  }

  @Test(arguments: Seeds.all)
  func `H12: the latest devices are kept, whatever the order of events`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let events = try Self.events(400)
    let facts = Self.facts(events)
    #expect(facts.devices.count == Facts.devicesMax)
    let latest = events.reduce(into: [String: Int64]()) { latest, entry in
      guard case .device(let change) = entry.event.content else { return }
      latest[change.identifier] = entry.order
    }
    let expected = latest.sorted { $0.value > $1.value }.prefix(Facts.devicesMax)
    #expect(Set(facts.devices.map(\.identifier)) == Set(expected.map(\.key)))
    for _ in 0..<20 {
      let other = Self.facts(events.shuffled(using: &random))
      try #require(other.encoded == facts.encoded, "seed \(seed)")
    }
  }
}
