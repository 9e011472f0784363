internal import Glibc

/// The system's time zone database as it was when the snapshot was made. Files that change later
/// change nothing here, and zones handed out stay valid for ever; to follow a change, make
/// another snapshot. Made in some milliseconds; keeps the files' content, about 1 MB.
package final class ZoneDatabase: Sendable {
  package let directory: String
  /// The maker's number for this snapshot.
  package let generation: Int
  /// The release of the database, such as "2026f"; "unknown" if the system does not tell.
  package let version: String
  /// When it was released, or somewhat earlier; where the system does not tell, when the newest of
  /// its files was written.
  package let released: Instant?
  /// All zones' names, sorted.
  package let names: [String]
  private let entries: [String: ZoneEntry]

  /// $TZDIR, or else /usr/share/zoneinfo.
  package static var systemDirectory: String {
    guard let value = getenv("TZDIR"), value[0] != 0 else { return "/usr/share/zoneinfo" }
    return String(cString: value)
  }

  package init(
    directory: String = ZoneDatabase.systemDirectory, generation: Int
  ) throws(ZoneDatabaseError) {
    let files = ZoneDirectory(path: directory)
    var entries: [String: ZoneEntry] = [:]
    try files.forEachZone { name, content in
      entries[name] = ZoneEntry(name: name, content: content)
    }
    guard !entries.isEmpty else { throw .empty(directory: directory) }
    let names = entries.keys.sorted()
    if let slim = names.first(where: { entries[$0]?.isSlim == true }) {
      throw .slim(directory: directory, zone: slim)
    }
    self.directory = directory
    self.generation = generation
    version = Self.version(in: files.firstLineOfRules() ?? "")
    released = ZoneRelease(version)?.start ?? files.newest(of: names)
    self.names = names
    self.entries = entries
  }

  /// The zone of exactly that name; about 50 ns, the first time some 100 µs.
  package func zone(named name: String) throws(UnknownZone) -> Zone {
    guard let entry = entries[name] else {
      throw UnknownZone(name: name, nearest: nearestNames(to: name))
    }
    guard let zone = entry.zone else {
      throw UnknownZone(name: name, nearest: [], damagedFile: directory + "/" + name)
    }
    return zone
  }

  /// The zones that have other rules than in an older snapshot, or are in one of the two alone.
  package func changes(since older: ZoneDatabase) -> Set<String> {
    let both = Set(names).union(older.names)
    return both.filter { name in
      guard let entry = entries[name], let before = older.entries[name] else { return true }
      return !entry.hasSameRules(as: before)
    }
  }

  /// From a line such as "# version 2026f".
  private static func version(in line: String) -> String {
    let words = line.split(separator: " ")
    guard words.count == 3, words[0] == "#", words[1] == "version" else { return "unknown" }
    return String(words[2])
  }
}

/// Why the system's time zone database cannot be used.
package enum ZoneDatabaseError: Error, Hashable, Sendable {
  /// The directory cannot be listed; `reason` is the system's.
  case unreadable(directory: String, reason: String)
  /// The directory holds not one TZif file.
  case empty(directory: String)
  /// Files such as that of `zone` do not list the changes of clocks to come, but only rules for
  /// them, and would be misread.
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

/// The refusal of a name that the system's database does not have (rule T4).
package struct UnknownZone: Error, Hashable, Sendable {
  package let name: String
  /// The most similar names first; empty if nothing is similar.
  package let nearest: [String]
  /// The file the name stands for, if there is one but it makes no sense.
  package let damagedFile: String?

  package init(name: String, nearest: [String], damagedFile: String? = nil) {
    self.name = name
    self.nearest = nearest
    self.damagedFile = damagedFile
  }
}

extension UnknownZone: CustomStringConvertible {
  package var description: String {
    if let damagedFile {
      return NameRefusal.quoted(name)
        + " cannot be used: \(damagedFile) is damaged; reinstall the tzdata package"
    }
    return NameRefusal.sentence(name, isNot: "a time zone of this system", nearest: nearest)
  }
}
