internal import CivilTime

/// Builds the calendars of all regions from files.
struct HolidayAssembly {
  private typealias Holidays = [(name: String, dates: [LocalDate])]

  private struct Region {
    /// The file that declares the region.
    let file: HolidayFile
    var holidays: Holidays = []
  }

  private var regions: [RegionCode: Region] = [:]
  /// The days that are free in all regions.
  private var holidaysEverywhere: Holidays = []
  /// Common names of the regions, each with its code.
  private(set) var aliases: [(name: String, code: String)] = []
  private var diagnostics: [HolidayDiagnostic]
  /// Whether every file that declares regions could be read.
  private var hasAllRegions: Bool

  /// - Parameter problems: earlier problems, from loading the files.
  init(problems: [HolidayDiagnostic]) {
    diagnostics = problems
    hasAllRegions = problems.isEmpty
  }

  /// Throws all problems found.
  func check() throws(HolidayErrors) {
    guard diagnostics.isEmpty else { throw HolidayErrors(diagnostics) }
  }

  /// Returns the calendar of the days that are free in all regions.
  func everywhere() -> HolidayCalendar {
    let none = HolidayTable([])
    return HolidayCalendar(
      region: nil, coveredYears: nil, regional: none, everywhere: HolidayTable(holidaysEverywhere))
  }

  /// Returns the calendars by the codes of their regions.
  func calendars() -> [String: HolidayCalendar] {
    let everywhere = HolidayTable(holidaysEverywhere)
    var calendars: [String: HolidayCalendar] = [:]
    for (code, region) in regions {
      calendars[code.text] = HolidayCalendar(
        region: code.text, coveredYears: region.file.coveredYears,
        weekend: region.file.weekend ?? HolidayCalendar.usualWeekend,
        regional: HolidayTable(region.holidays), everywhere: everywhere)
    }
    return calendars
  }

  /// Adds a file that declares regions.
  mutating func addRegions(of source: CalendarFile) {
    guard let file = read(source) else {
      hasAllRegions = false
      return
    }
    var findings = FileProblems(file: file.path)
    let codes = file.regions.isEmpty ? [source.region].compactMap(\.self) : file.regions
    if codes.isEmpty {
      let hint = "name the file after its region, as in DE.ics, or add \(ChimedProperty.regions)"
      findings.add(0, HolidaySyntaxError("names no region: \(hint)"))
    }
    for code in codes { declare(code, by: file, &findings) }
    aliases += file.aliases.flatMap { alias in codes.prefix(1).map { (alias, $0.text) } }
    for holiday in file.holidays {
      if let foreign = holiday.regions?.first(where: { !codes.contains($0) }) {
        let hint = "add it to the calendar's \(ChimedProperty.regions), or remove it here"
        findings.add(
          holiday.line, HolidaySyntaxError("\(foreign.text) is not a region of this file; \(hint)"))
      } else {
        add(holiday, to: holiday.regions ?? codes, &findings)
      }
    }
    diagnostics += findings.diagnostics
  }

  /// Adds a file of days that the operator has added. Call it after all regions have been added.
  mutating func addEverywhere(_ source: CalendarFile) {
    guard let file = read(source) else { return }
    var findings = FileProblems(file: file.path)
    for holiday in file.holidays {
      if let codes = holiday.regions ?? (file.regions.isEmpty ? nil : file.regions) {
        add(holiday, to: codes, &findings)
      } else {
        holidaysEverywhere.append((holiday.name, holiday.dates))
      }
    }
    diagnostics += findings.diagnostics
  }

  private mutating func read(_ source: CalendarFile) -> HolidayFile? {
    do {
      return try CalendarReader.read(source)
    } catch {
      diagnostics += error.diagnostics
      return nil
    }
  }

  /// Adds a region; reports it if another file has already declared it.
  private mutating func declare(
    _ code: RegionCode, by file: HolidayFile, _ findings: inout FileProblems
  ) {
    if let other = regions.updateValue(Region(file: file), forKey: code)?.file {
      findings.add(
        0,
        HolidaySyntaxError(
          "\(code.text) is a region of \(other.path) already; remove it from one of the files"))
    }
  }

  private mutating func add(
    _ holiday: Holiday, to codes: [RegionCode], _ findings: inout FileProblems
  ) {
    if hasAllRegions, let unknown = codes.first(where: { regions[$0] == nil }) {
      let message = "\(unknown.text) is not a region whose holidays are known; correct or remove it"
      findings.add(holiday.line, HolidaySyntaxError(message))
    }
    for code in codes { regions[code]?.holidays.append((holiday.name, holiday.dates)) }
  }
}
