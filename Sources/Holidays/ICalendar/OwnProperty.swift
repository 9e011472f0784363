internal import CivilTime

/// The properties that iCalendar does not have, and that our files have besides.
enum OwnProperty {
  /// Of a calendar: the regions that it is for. Of an event: those among them where it is free.
  static let regions = "X-CHIMED-REGIONS"
  /// The years whose holidays are all there, as in "2024-2035".
  static let years = "X-CHIMED-YEARS"
  /// The days of the week on which most people do not work, as in "SA,SU".
  static let weekend = "X-CHIMED-WEEKEND"
  /// What people call the region who do not know its code.
  static let aliases = "X-CHIMED-ALIASES"

  static let ofCalendar: Set = [regions, years, weekend, aliases]

  /// Any other property may be passed over, but one that looks like ours is a mistake.
  static func refuse(_ line: ContentLine) throws(Flaw) {
    guard line.name.hasPrefix("X-CHIMED-") else { return }
    throw Flaw(
      "\(line.name) has no meaning here: a calendar has \(regions), \(years), \(weekend) and "
        + "\(aliases), an event \(regions) alone")
  }

  static func codes(of line: ContentLine) throws(Flaw) -> [RegionCode] {
    var codes: [RegionCode] = []
    var seen: Set<RegionCode> = []
    for word in line.words {
      guard let code = RegionCode(word) else {
        let quoted = NameRefusal.quoted(word)
        throw Flaw("\(line.name) lists codes such as DE or DE-BY; \(quoted) is none")
      }
      guard seen.insert(code).inserted else {
        throw Flaw("\(line.name) has \(code.text) twice; remove one")
      }
      codes.append(code)
    }
    return codes
  }
}
