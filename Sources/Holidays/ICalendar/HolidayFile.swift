internal import CivilTime

/// The content of an iCalendar file: holidays of the regions that it names, or of all regions if it
/// names none.
struct HolidayFile {
  let path: String
  /// The regions that the file names.
  private(set) var regions: [RegionCode] = []
  /// Common names of the regions.
  private(set) var aliases: [String] = []
  /// The years with complete holidays; nil if the file names none.
  private(set) var coveredYears: ClosedRange<Int>?
  /// The days of the week on which most people do not work; nil if the file names none.
  private(set) var weekend: Set<Weekday>?
  var holidays: [Holiday] = []
  /// The names of chimed's extension properties that were read so far.
  private var seen: Set<String> = []

  init(path: String) {
    self.path = path
  }

  /// Reads a property of a calendar.
  mutating func read(_ line: ContentLine) throws(HolidaySyntaxError) {
    if ChimedProperty.ofCalendar.contains(line.name), !seen.insert(line.name).inserted {
      throw HolidaySyntaxError("\(line.name) is given twice; remove one")
    }
    switch line.name {
    case "VERSION": try expect(line, "2.0")
    case "CALSCALE": try expect(line, "GREGORIAN")
    case "METHOD":
      guard line.trimmedText.uppercased() != "CANCEL" else {
        throw HolidaySyntaxError(
          "METHOD:CANCEL revokes the file's events; remove the line, or the file")
      }
    case "NAME": aliases.append(try TextValue.line(of: line))
    case ChimedProperty.aliases:
      aliases += try TextValue.line(of: line).split(separator: ",").map(String.init)
    case ChimedProperty.regions: regions = try ChimedProperty.codes(of: line)
    case ChimedProperty.years: coveredYears = try Self.years(line)
    case ChimedProperty.weekend: weekend = try Self.weekdays(line)
    default: try ChimedProperty.refuse(line)
    }
  }

  private func expect(_ line: ContentLine, _ value: String) throws(HolidaySyntaxError) {
    guard line.trimmedText.uppercased() == value else {
      throw HolidaySyntaxError(
        "\(line.name) must be \(value); export the calendar as iCalendar 2.0, Gregorian")
    }
  }

  private static func years(_ line: ContentLine) throws(HolidaySyntaxError) -> ClosedRange<Int> {
    let sides = line.trimmedText.split(separator: "-", omittingEmptySubsequences: false)
      .map { Int($0) }
    guard sides.count == 2, let first = sides[0], let last = sides[1], first <= last,
      HolidayEvent.years.contains(first), HolidayEvent.years.contains(last)
    else {
      throw HolidaySyntaxError("\(line.name) must be years from 2000 to 2100, such as 2024-2035")
    }
    return first...last
  }

  private static func weekdays(_ line: ContentLine) throws(HolidaySyntaxError) -> Set<Weekday> {
    var days: Set<Weekday> = []
    for word in line.listTexts {
      guard let day = Weekday(iCalendar: word.uppercased()) else {
        throw HolidaySyntaxError(
          "\(line.name) lists days such as SA,SU; \(NameRefusal.quoted(word)) is not a day")
      }
      days.insert(day)
    }
    return days
  }
}

struct Holiday {
  /// The line of the file that declares the holiday.
  let line: Int
  let name: String
  let dates: [LocalDate]
  /// The regions that have the holiday; nil for all regions of the file.
  let regions: [RegionCode]?
}

/// The problems of one file: the first 100, and the number of the others.
struct FileProblems {
  /// The path of the file.
  let file: String
  /// The first problems found, at most `firstMax`.
  private var first: [HolidayDiagnostic] = []
  /// The number of all problems.
  private var count = 0

  private static let firstMax = 100

  init(file: String) {
    self.file = file
  }

  mutating func add(_ line: Int, _ flaw: HolidaySyntaxError) {
    count += 1
    guard first.count < Self.firstMax else { return }
    first.append(HolidayDiagnostic(file: file, line: line, message: flaw.message))
  }

  /// The first 100 problems, sorted by line. If there are more, a last problem gives the number of
  /// the others.
  var diagnostics: [HolidayDiagnostic] {
    let others = count - first.count
    let rest = HolidayDiagnostic(file: file, message: "has \(others) more errors")
    return first.sorted { $0.line < $1.line } + (others > 0 ? [rest] : [])
  }
}

/// A fault of a part of a file, without its position.
package struct HolidaySyntaxError: Error {
  package let message: String

  init(_ message: String) {
    self.message = message
  }
}

/// The extension properties that chimed defines.
enum ChimedProperty {
  /// The regions of a calendar; in an event, the regions of the calendar in which the event's dates
  /// are holidays.
  static let regions = "X-CHIMED-REGIONS"
  /// The years with complete holidays, as in "2024-2035".
  static let years = "X-CHIMED-YEARS"
  /// The days of the week on which most people do not work, as in "SA,SU".
  static let weekend = "X-CHIMED-WEEKEND"
  /// Common names of the region.
  static let aliases = "X-CHIMED-ALIASES"

  static let ofCalendar: Set = [regions, years, weekend, aliases]

  /// Rejects an unknown property with chimed's prefix, which is probably a mistake. Other
  /// properties are ignored.
  static func refuse(_ line: ContentLine) throws(HolidaySyntaxError) {
    guard line.name.hasPrefix("X-CHIMED-") else { return }
    throw HolidaySyntaxError(
      "\(line.name) has no meaning here: a calendar has \(regions), \(years), \(weekend) and "
        + "\(aliases), an event \(regions) alone")
  }

  /// Reads a list of regions without repetition.
  static func codes(of line: ContentLine) throws(HolidaySyntaxError) -> [RegionCode] {
    var codes: [RegionCode] = []
    var seen: Set<RegionCode> = []
    for word in line.listTexts {
      guard let code = RegionCode(word) else {
        let quoted = NameRefusal.quoted(word)
        throw HolidaySyntaxError(
          "\(line.name) lists codes such as DE or DE-BY; \(quoted) is not a code")
      }
      guard seen.insert(code).inserted else {
        throw HolidaySyntaxError("\(line.name) has \(code.text) twice; remove one")
      }
      codes.append(code)
    }
    return codes
  }
}
