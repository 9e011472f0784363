internal import CivilTime

/// The holidays of all known regions, with the days that the operator has added. It is immutable:
/// after a change of the files, create another database.
package struct HolidayDatabase: Sendable {
  /// The regions' codes, sorted.
  package let regions: [String]
  /// The calendar of recipients without a known region. It has only the days that the operator has
  /// added.
  package let everywhere: HolidayCalendar
  /// The calendars by the codes of their regions.
  private let calendars: [String: HolidayCalendar]
  /// Common names of the regions, each with its code.
  let aliases: [(name: String, code: String)]

  /// Reads the files of a directory with the extension ".ics", and the files at `extra`. Takes
  /// about 60 ms for the shipped files; see ``init(files:extra:)``.
  package init(directory: String, extra: [String] = []) throws(HolidayErrors) {
    try self.init(HolidayDirectory.load(directory, extra: extra))
  }

  /// - Throws: all problems of the files and of loading them.
  package init(_ loaded: HolidayDirectory) throws(HolidayErrors) {
    try self.init(loaded.files, extra: loaded.extra, problems: loaded.problems)
  }

  /// Reads files from memory.
  ///
  /// - Parameter files: holidays by region. A file's property X-CHIMED-REGIONS gives its regions.
  ///   If the file lacks the property, its name gives the only region, as in "DE.ics".
  /// - Parameter extra: additional free days: in all regions, or in the regions that the file or
  ///   event names.
  /// - Throws: all problems of the files.
  package init(files: [CalendarFile], extra: [CalendarFile] = []) throws(HolidayErrors) {
    try self.init(files, extra: extra, problems: [])
  }

  private init(
    _ files: [CalendarFile], extra: [CalendarFile], problems: [HolidayDiagnostic]
  ) throws(HolidayErrors) {
    var assembly = HolidayAssembly(problems: problems)
    for file in files { assembly.addRegions(of: file) }
    for file in extra { assembly.addEverywhere(file) }
    try assembly.check()
    calendars = assembly.calendars()
    everywhere = assembly.everywhere()
    regions = calendars.keys.sorted()
    aliases = assembly.aliases
  }

  /// Returns the holidays of a country such as "DE" or a part of it such as "DE-BY", in upper or
  /// lower case. Takes about 70 ns.
  package func calendar(of code: String) throws(UnknownRegionError) -> HolidayCalendar {
    guard let calendar = calendars[code] ?? calendars[code.uppercased()] else {
      throw UnknownRegionError(code: code, nearest: nearestRegions(to: code))
    }
    return calendar
  }
}

extension HolidayDatabase {
  /// A region with the edit distance of its code or name from a text.
  private struct Candidate {
    let code: String
    let distance: Int
    /// Whether the first bytes are equal.
    let startsAlike: Bool

    var sortKey: (Int, Int, String) { (distance, startsAlike ? 0 : 1, code) }
  }

  /// Returns at most three codes of regions, the most similar first. A region is similar if its
  /// code or name ("Germany", "DEU") resembles `text`: at most a quarter of the bytes of `text` may
  /// differ. One different byte is always tolerated. If an unknown part of a country has no similar
  /// region, returns the country.
  package func nearestRegions(to text: String) -> [String] {
    let textBytes = Array(text.uppercased().utf8)
    guard (1...64).contains(textBytes.count) else { return [] }
    let namesAndCodes = regions.map { (name: $0, code: $0) } + aliases
    let distanceMax = max(1, textBytes.count / 4)
    let candidates = namesAndCodes.map { Self.candidate($0.name, $0.code, for: textBytes) }
    // An exact match excludes similar names.
    let isExact = candidates.contains { $0.distance == 0 }
    let similar = candidates.filter { $0.distance <= (isExact ? 0 : distanceMax) }
    let codes = similar.sorted { $0.sortKey < $1.sortKey }.map(\.code)
    var nearest: [String] = []
    for code in codes where !nearest.contains(code) { nearest.append(code) }
    if nearest.isEmpty, let country = country(of: text) { nearest = [country] }
    return Array(nearest.prefix(3))
  }

  private static func candidate(
    _ name: String, _ code: String, for textBytes: [UInt8]
  ) -> Candidate {
    let bytes = Array(name.uppercased().utf8)
    return Candidate(
      code: code, distance: EditDistance.between(textBytes[...], bytes[...]),
      startsAlike: bytes.first == textBytes.first)
  }

  /// Returns the code of the country that the code of a part begins with; nil if it is unknown.
  private func country(of text: String) -> String? {
    guard let countryCode = text.split(separator: "-").first else { return nil }
    return regions.first { $0 == countryCode.uppercased() }
  }
}

/// The code of a country (ISO 3166-1), such as "DE", or of a part of a country (ISO 3166-2), such
/// as "DE-BY".
struct RegionCode: Hashable, Sendable {
  /// The code in capitals.
  let text: String

  /// Returns nil unless the text has the form of a code. The code need not exist.
  init?(_ text: some StringProtocol) {
    let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard parts.count <= 2, parts[0].count == 2, parts[0].allSatisfy(Self.isLetter) else {
      return nil
    }
    if parts.count == 2 {
      guard (1...3).contains(parts[1].count), parts[1].allSatisfy(Self.isLetterOrDigit) else {
        return nil
      }
    }
    self.text = text.uppercased()
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}

extension RegionCode: Comparable {
  static func < (left: RegionCode, right: RegionCode) -> Bool {
    left.text < right.text
  }
}

/// Thrown for a region without known holidays.
package struct UnknownRegionError: Error, Hashable, Sendable {
  package let code: String
  /// Similar codes, the most similar first; empty if there are none.
  package let nearest: [String]

  package init(code: String, nearest: [String]) {
    self.code = code
    self.nearest = nearest
  }
}

extension UnknownRegionError: CustomStringConvertible {
  package var description: String {
    NameRefusal.sentence(code, isNot: "a region whose holidays are known", nearest: nearest)
  }
}
