/// The holidays of all regions that are known, with the operator's own days added. It never
/// changes: to follow a change of the files, make another.
package struct HolidayDatabase: Sendable {
  /// The regions' codes, sorted.
  package let regions: [String]
  /// The operator's own days alone: for people of whom no region is known.
  package let everywhere: HolidayCalendar
  private let calendars: [String: HolidayCalendar]
  /// What people call the regions, each with its code.
  let aliases: [(name: String, code: String)]

  /// Reads every file of a directory whose name ends in ".ics", and the files at `extra`. Takes
  /// some 60 ms for all that is shipped; see ``init(files:extra:)``.
  package init(directory: String, extra: [String] = []) throws(HolidayErrors) {
    try self.init(HolidayDirectory.load(directory, extra: extra))
  }

  /// - Throws: everything that is wrong in any of the files, and with loading them.
  package init(_ loaded: HolidayDirectory) throws(HolidayErrors) {
    try self.init(loaded.files, extra: loaded.extra, problems: loaded.problems)
  }

  /// Reads files whose content is at hand.
  ///
  /// - Parameter files: holidays by region. The regions are those that a file names in a property
  ///   X-CHIMED-REGIONS, or else the one that its own name is, as in "DE.ics".
  /// - Parameter extra: days that are free besides: everywhere, or in the regions that such a file
  ///   or event names.
  /// - Throws: everything that is wrong in any of them.
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

  /// The holidays of a country such as "DE" or of a part of it such as "DE-BY", in capitals or
  /// not; some 70 ns.
  package func calendar(of code: String) throws(UnknownRegion) -> HolidayCalendar {
    guard let calendar = calendars[code] ?? calendars[code.uppercased()] else {
      throw UnknownRegion(code: code, nearest: nearestRegions(to: code))
    }
    return calendar
  }
}
