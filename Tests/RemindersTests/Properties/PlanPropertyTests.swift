import CivilTime
import JSON
import TestSupport
import Testing

@testable import Reminders

/// The doses of random plans are compared with a model that walks over all days.
@Suite struct PlanPropertyTests {
  private static let zones = [
    "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo", "Asia/Kathmandu",
  ]

  @Test(arguments: Seeds.all)
  func `G15: each dose is the next one of a model that counts days`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let zones = try Fixtures.zones.get()
    for _ in 0..<60 {
      let event =
        try utc("2026-01-01 00:00")
        + .milliseconds(Int.random(in: 0..<31_536_000_000, using: &random))
      let random = RandomPlan(&random, around: event)
      let plan = try PlanReader(random.json, "data.schedule").plan(zones)
      let name = random.zone ?? Self.zones[Int(seed % UInt64(Self.zones.count))]
      let zone = try zones.zone(named: name)
      let run = Self.run(plan, zone, at: event)
      let today = zone.date(at: event)
      let doses = random.doses(through: today + 200, today: today).map { zone.instant(of: $0) }
      var (expected, actual): ([Instant], [Instant]) = ([], [])
      for dose in doses where dose > expected.last ?? event { expected.append(dose) }
      let end = zone.instant(of: today + 200, at: .midnight)
      while let next = run.next(after: actual.last ?? event, beyond: nil), next.planned < end {
        actual.append(next.planned)
      }
      let text = String(decoding: JSONWriter.canonical(random.json), as: UTF8.self)
      try #require(
        actual == expected.filter { $0 < end }, "seed \(seed): \(text) in \(name) at \(event)")
    }
  }

  @Test(arguments: Seeds.all)
  func `G15: a plan survives its encoding, and damaged bytes are an error`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<40 {
      let plan = try PlanReader(
        RandomPlan(&random, around: try utc("2026-03-02 12:00")).json, "data.schedule"
      ).plan(try Fixtures.zones.get())
      var writer = ByteWriter()
      plan.write(to: &writer)
      #expect(try Self.decoded(writer.bytes) == plan, "seed \(seed)")
      var damaged = writer.bytes
      damaged[Int.random(in: 0..<damaged.count, using: &random)] = .random(in: 0...255)
      if let other = try? Self.decoded(damaged) {
        _ = Self.run(other, try Fixtures.zone("UTC"), at: try utc("2026-03-02 12:00"))
          .next(after: try utc("2026-04-02 12:00"), beyond: nil)
      }
    }
  }

  private static func decoded(_ bytes: [UInt8]) throws -> EntityPlan {
    try bytes.withUnsafeBytes { buffer in
      var reader = ByteReader(buffer)
      let plan = try EntityPlan(from: &reader)
      try reader.finish()
      return plan
    }
  }

  private static func run(_ plan: EntityPlan, _ zone: Zone, at event: Instant) -> PlanRun {
    PlanRun(
      item: 0, series: 7, identifier: "a", plan: plan, zone: zone,
      start: Stamp(time: event, order: 1), earliest: event, hasReportedTimes: true, resumption: nil,
      isStopped: false)
  }
}
