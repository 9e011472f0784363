import CivilTime
import Holidays
import TestSupport
import Testing

/// Compares the dates of rules with those of a script that tests each day against each rule.
@Suite struct OracleTests {
  @Test func `random rules have the oracle's dates`() throws {
    let seed = Seed.value
    print("random holiday rules; repeat with CHIMED_SEED=\(seed)")
    var random = RandomRules(seed: seed)
    let directory = try TemporaryDirectory()
    let count = 200
    for number in 0..<count {
      let name = "Q\(Self.letter(number / 26))-\(number)"
      try directory.write(Samples.calendar(lines: random.event()), to: name + ".ics")
    }
    let expected = try Oracle.days(inFilesOf: directory.path)
    #expect(expected.count > count / 2)
    let database = try HolidayDatabase(directory: directory.path)
    for region in database.regions {
      let days = try Oracle.days(of: database.calendar(of: region))
      #expect(days == expected[region] ?? [], "\(region) of seed \(seed)")
    }
  }

  private static func letter(_ number: Int) -> Character {
    Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ")[number % 26]
  }
}
