import Holidays

/// The shipped holiday files, read once.
enum Shipped {
  static let directory =
    #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined() + "/config/holidays"

  static let database = Result { try HolidayDatabase(directory: directory) }

  static func calendar(_ region: String) throws -> HolidayCalendar {
    try database.get().calendar(of: region)
  }
}
