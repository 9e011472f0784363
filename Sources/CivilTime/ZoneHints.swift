extension ZoneDatabase {
  /// Returns the zone of a Windows name, such as "W. Europe Standard Time" (rule T4): CLDR's
  /// default zone for the name. The zones that CLDR lists for single territories have the same
  /// rules. Returns nil for other names, and for a zone that this database lacks.
  package func zone(ofWindowsName name: String) -> Zone? {
    WindowsZones.zone(of: name).flatMap { try? zone(named: $0) }
  }

  /// Returns the error for an unknown name, with names to use instead (rule T4).
  func unknownZoneError(named name: String) -> UnknownZoneError {
    if let hint = placeholderHint(name) ?? windowsHint(name) ?? abbreviationHint(name) {
      return UnknownZoneError(name: name, nearest: [], hint: hint)
    }
    return UnknownZoneError(name: name, nearest: nearestNames(to: name))
  }

  private func placeholderHint(_ name: String) -> String? {
    guard name == ZoneDirectory.placeholder else { return nil }
    return "tzdata's placeholder for an unset zone, not a time zone; "
      + "give a name such as \"Europe/Berlin\""
  }

  private func windowsHint(_ name: String) -> String? {
    guard let zone = WindowsZones.zone(of: name), names.contains(zone) else { return nil }
    return "a Windows name of a time zone; give \"\(zone)\", or another city of that zone"
  }

  // MARK: - Abbreviations

  private static let citiesMax = 3
  /// The possible lengths of abbreviations, in bytes.
  private static let abbreviationLengths = 2...5

  private func abbreviationHint(_ name: String) -> String? {
    let cities = cities(using: name).map { "\"\($0)\"" }
    guard let last = cities.last else { return nil }
    let list = cities.count == 1 ? last : cities.dropLast().joined(separator: ", ") + " or " + last
    return "an abbreviation, not a time zone; give the zone of a city, such as \(list)"
  }

  /// Returns at most three cities that use an abbreviation within a year after the release of this
  /// database. The first city of each offset is listed before further cities of the same offset.
  func cities(using abbreviation: String) -> [String] {
    let wanted = abbreviation.uppercased()
    guard let released,
      Self.abbreviationLengths.contains(wanted.utf8.count)
    else { return [] }
    let quarters = (0..<4).map { released + .days(91 * $0) }
    var firstCities: [String] = []
    var furtherCities: [String] = []
    var offsets: Set<Int> = []
    for city in Self.largeCities.split(separator: " ").map(String.init) {
      guard let zone = try? zone(named: city),
        let instant = quarters.first(where: { zone.abbreviation(at: $0).uppercased() == wanted })
      else { continue }
      let isFirst = offsets.insert(zone.offsetSeconds(at: instant)).inserted
      if isFirst { firstCities.append(city) } else { furtherCities.append(city) }
    }
    return Array((firstCities + furtherCities).prefix(Self.citiesMax))
  }

  /// The zones of large cities, which cover every abbreviation in use.
  private static let largeCities = """
    Asia/Kolkata Asia/Shanghai Europe/Berlin Europe/Paris Europe/Madrid Europe/London \
    Europe/Lisbon Europe/Dublin \
    Europe/Athens Europe/Helsinki Europe/Kyiv Europe/Moscow Atlantic/Reykjavik \
    America/New_York America/Chicago America/Denver America/Los_Angeles America/Toronto \
    America/Vancouver America/Edmonton America/Winnipeg America/Phoenix America/Anchorage \
    America/Adak America/Halifax America/Puerto_Rico America/St_Johns America/Mexico_City \
    America/Havana America/Jamaica America/Panama America/Tijuana Pacific/Honolulu \
    Pacific/Pago_Pago Pacific/Guam Asia/Jerusalem Asia/Taipei \
    Asia/Hong_Kong Asia/Tokyo Asia/Seoul Asia/Manila Asia/Karachi Asia/Jakarta Asia/Makassar \
    Asia/Jayapura Africa/Lagos Africa/Cairo Africa/Johannesburg Africa/Nairobi Africa/Maputo \
    Africa/Abidjan Australia/Sydney Australia/Brisbane Australia/Adelaide Australia/Darwin \
    Australia/Perth Pacific/Auckland
    """
}
