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
    self.version = Self.version(in: files.firstLineOfRules() ?? "")
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
