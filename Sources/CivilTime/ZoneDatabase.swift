internal import Glibc

/// A snapshot of the system's time zone database. Later changes of the files do not affect the
/// snapshot, and its zones stay valid forever. To follow a change, make another snapshot. A
/// snapshot takes some milliseconds to make, and about 1 MB for the files' content.
package final class ZoneDatabase: Sendable {
  /// The path of the database.
  package let directory: String
  /// The number of this snapshot, chosen by its creator.
  package let generation: Int
  /// The release of the database, such as "2026f"; "unknown" if the system has no version.
  package let version: String
  /// The approximate release time; without a version, the modification time of the newest file; nil
  /// if neither is known.
  package let released: Instant?
  /// The names of all zones, sorted.
  package let names: [String]
  /// The zones by name.
  private let entries: [String: ZoneEntry]
  /// The names of damaged files.
  private let damaged: Set<String>
  /// The names that have only the rules of an earlier snapshot.
  private let lastKnown: Set<String>

  /// $TZDIR; by default /usr/share/zoneinfo.
  package static var systemDirectory: String {
    guard let value = getenv("TZDIR"), value[0] != 0 else { return "/usr/share/zoneinfo" }
    return String(cString: value)
  }

  /// Reads every file of the directory. A name without an intact file gets the rules of its link
  /// target, or else its last known rules (rule T9).
  ///
  /// - Parameter archive: the rules of an earlier snapshot.
  package init(
    directory: String = ZoneDatabase.systemDirectory, generation: Int,
    lastKnown archive: ZoneArchive = ZoneArchive()
  ) throws(ZoneDatabaseError) {
    let files = ZoneDirectory(path: directory)
    var contents: [String: [UInt8]] = [:]
    var damaged: Set<String> = []
    try files.forEachZone { name, content in
      if ZoneFile.isWhole(content) { contents[name] = content } else { damaged.insert(name) }
    }
    guard !contents.isEmpty || !damaged.isEmpty else { throw .empty(directory: directory) }
    let slim = contents.filter { ZoneFile($0.value)?.isSlim == true }.keys.min()
    if let slim { throw .slim(directory: directory, zone: slim) }
    self.directory = directory
    self.generation = generation
    version = Self.version(in: files.firstLineOfRules() ?? "")
    released = ZoneRelease(version)?.start ?? files.newest(of: Array(contents.keys))
    self.damaged = damaged
    ZoneLinks(rules: files.rules()).resolve(in: &contents)
    lastKnown = archive.complete(&contents)
    entries = Dictionary(
      uniqueKeysWithValues: contents.map { ($0, ZoneEntry(name: $0, content: $1)) })
    names = entries.keys.sorted()
  }

  /// Returns the zone with exactly this name. Takes about 50 ns, or 100 µs for the first call.
  package func zone(named name: String) throws(UnknownZoneError) -> Zone {
    if let zone = entries[name]?.zone { return zone }
    guard entries[name] != nil || damaged.contains(name) else {
      throw unknownZoneError(named: name)
    }
    throw UnknownZoneError(name: name, nearest: [], damagedFile: directory + "/" + name)
  }

  /// Returns the fault of a name that has no rules in this directory; nil for other names.
  package func fault(of name: String) -> ZoneFault? {
    let isLastKnown = lastKnown.contains(name)
    guard isLastKnown || entries[name]?.zone == nil else { return nil }
    let isDamaged = damaged.contains(name) || entries[name] != nil && !isLastKnown
    return ZoneFault(
      zone: name, damagedFile: isDamaged ? directory + "/" + name : nil,
      hasLastKnownRules: isLastKnown)
  }

  /// The faults of names with last known rules or a damaged file, sorted by name.
  package var faults: [ZoneFault] {
    damaged.union(lastKnown).sorted().compactMap(fault)
  }

  /// The rules of every name, for a later snapshot that lacks some of these names.
  package var archive: ZoneArchive {
    ZoneArchive(contents: entries.mapValues(\.content))
  }

  /// Returns the zones that only one of the two snapshots has, or whose rules differ between them.
  package func changes(since older: ZoneDatabase) -> Set<String> {
    let allNames = Set(names).union(older.names)
    return allNames.filter { name in
      guard let entry = entries[name], let previous = older.entries[name] else { return true }
      return !entry.hasSameRules(as: previous)
    }
  }

  /// Parses a line such as "# version 2026f".
  private static func version(in line: String) -> String {
    let words = line.split(separator: " ")
    guard words.count == 3, words[0] == "#", words[1] == "version" else { return "unknown" }
    return String(words[2])
  }
}

/// The reason why the system's time zone database is unusable.
package enum ZoneDatabaseError: Error, Hashable, Sendable {
  /// The directory cannot be listed; `reason` is the system's message.
  case unreadable(directory: String, reason: String)
  /// The directory has no TZif file.
  case empty(directory: String)
  /// Files such as the file of `zone` have only rules for future clock changes, and no list of
  /// these changes. cctz would misread such files.
  case slim(directory: String, zone: String)
}

extension ZoneDatabaseError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unreadable(let directory, let reason):
      "cannot read the time zone database in \(directory): \(reason); \(Self.remedy)"
    case .empty(let directory):
      "the time zone database in \(directory) has no zones; \(Self.remedy)"
    case .slim(let directory, let zone):
      "the time zone database in \(directory) is in the slim form, as in \(zone); "
        + "\(Self.remedy), or compile it with zic -b fat"
    }
  }

  private static let remedy = "install the tzdata package or set TZDIR to its directory"
}

/// A release of the time zone database, such as "2026f": the year and a letter.
struct ZoneRelease {
  private let year: Int
  /// The index among the releases of the year.
  private let index: Int
  /// The assumed number of months between releases: about five appear in a year, rounded down.
  private static let monthsPerRelease = 2

  /// Returns nil if the text is no release.
  init?(_ version: String) {
    guard version.utf8.count == 5, let year = Int(version.prefix(4)),
      let letter = version.utf8.last, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter)
    else { return nil }
    self.year = year
    index = Int(letter - UInt8(ascii: "a"))
  }

  /// The approximate time of the release.
  var start: Instant? {
    let month = min(12, 1 + index * Self.monthsPerRelease)
    return Instant("\(year)-\(month < 10 ? "0" : "")\(month)-01T00:00:00Z")
  }
}

extension ZoneDatabase {
  /// The age above which the database causes a warning.
  private static let ageMax = TimeSpan.days(366)

  /// Returns a warning if the database is older than a year, because governments change clock rules
  /// several times a year. Returns nil if the database is younger, or its age is unknown.
  package func ageWarning(at now: Instant) -> String? {
    guard let released, now - released > Self.ageMax else { return nil }
    let release = version == "unknown" ? "whose newest file is of" : "\(version), of about"
    return "the time zone database \(release) \("\(released)".prefix(7)), is older than a year; "
      + "update the package tzdata"
  }
}
