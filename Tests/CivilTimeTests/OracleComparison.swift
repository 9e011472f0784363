import CivilTime

/// Compares a database with the oracle's output.
struct OracleComparison {
  let database: ZoneDatabase
  private(set) var names: Set<String> = []
  private(set) var changes = 0
  private(set) var localTimes = 0
  private(set) var instants = 0
  private(set) var mismatches = Mismatches()

  init(_ database: ZoneDatabase) {
    self.database = database
  }

  var summary: String {
    "\(names.count) zones, \(changes) changes of clocks, \(localTimes) local times, "
      + "\(instants) instants: \(mismatches)"
  }

  mutating func compare(with output: [UInt8]) throws {
    var reader = OracleReader(output)
    try reader.expect("CHZONES2")
    var changeCount = 0
    while true {
      let count = try reader.integer(UInt16.self)
      guard count > 0 else { break }
      changeCount += try compareGroup(of: count, &reader)
    }
    // The output ends with the script's own count of changes, which shows that nothing was lost.
    guard try reader.integer(UInt32.self) == changeCount, reader.isAtEnd else {
      throw Oracle.Failure.malformed(offset: reader.offset)
    }
  }

  /// Compares zones with identical files, and returns how many changes of clocks each of them has.
  private mutating func compareGroup(of count: Int, _ reader: inout OracleReader) throws -> Int {
    var zones: [Zone] = []
    for _ in 0..<count {
      zones.append(try database.zone(named: try reader.text()))
    }
    names.formUnion(zones.map(\.name))
    for (instant, offset) in try reader.pairs(Int64.self) {
      for zone in zones { compareOffset(of: zone, at: instant, offset) }
    }
    let changes = try reader.integer(UInt32.self)
    for _ in 0..<changes { try compareChange(of: zones, &reader) }
    self.changes += changes * zones.count
    return changes
  }

  private mutating func compareChange(of zones: [Zone], _ reader: inout OracleReader) throws {
    let change = try reader.integer(Int64.self)
    let abbreviations = (before: try reader.text(), after: try reader.text())
    let localPairs = try reader.pairs(Int32.self)
    let offsetPairs = try reader.pairs(Int32.self)
    for zone in zones {
      compareAbbreviations(of: zone, at: change, abbreviations)
      for (local, instant) in localPairs {
        compareInstant(of: zone, local: change + local, change + instant)
      }
      for (instant, offset) in offsetPairs {
        compareOffset(of: zone, at: change + instant, offset)
      }
    }
  }

  private mutating func compareAbbreviations(
    of zone: Zone, at seconds: Int, _ abbreviations: (before: String, after: String)
  ) {
    let change = Self.instant(seconds)
    let before = change - .milliseconds(1)
    mismatches.compare(zone.abbreviation(at: before), abbreviations.before, "\(zone) \(before)")
    mismatches.compare(zone.abbreviation(at: change), abbreviations.after, "\(zone) \(change)")
  }

  private mutating func compareInstant(of zone: Zone, local seconds: Int, _ expected: Int) {
    localTimes += 1
    let local = Self.local(seconds)
    mismatches.compare(zone.instant(of: local), Self.instant(expected), "\(zone) \(local)")
    guard local.secondOfDay % 60 == 0 else { return }
    let instantByMinute = zone.instant(of: local.date, at: local.time)
    mismatches.compare(instantByMinute, Self.instant(expected), "\(zone) \(local) to the minute")
  }

  private mutating func compareOffset(of zone: Zone, at seconds: Int, _ offset: Int) {
    instants += 1
    let instant = Self.instant(seconds)
    mismatches.compare(zone.offsetSeconds(at: instant), offset, "\(zone) offset at \(instant)")
    let local = Self.local(seconds + offset)
    mismatches.compare(zone.local(at: instant), local, "\(zone) local at \(instant)")
  }

  private static func instant(_ seconds: Int) -> Instant {
    Instant(milliseconds: Int64(seconds) * 1_000)
  }

  private static func local(_ seconds: Int) -> LocalDateTime {
    let second = ((seconds % 86_400) + 86_400) % 86_400
    let date = LocalDate(daysSinceEpoch: (seconds - second) / 86_400)
    return LocalDateTime(date: date, secondOfDay: second)
  }
}
