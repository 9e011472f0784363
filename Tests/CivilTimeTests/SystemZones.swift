import CivilTime
import Testing

/// One snapshot of the system's database, for tests that only read it.
enum SystemZones {
  static let database = Result { try ZoneDatabase(generation: 1) }

  static func zone(_ name: String) throws -> Zone {
    try database.get().zone(named: name)
  }

  /// Parses the local time "yyyy-MM-dd HH:mm".
  static func local(_ text: String) throws -> LocalDateTime {
    let date = try #require(LocalDate(String(text.prefix(10))))
    let time = try #require(LocalTime(String(text.dropFirst(11))))
    return LocalDateTime(date: date, time: time)
  }
}
