/// The lines of one VEVENT that matter here; the others are passed over.
struct EventLines {
  /// The line of the file on which the event begins.
  let number: Int
  /// Properties that an event has at most once, by name.
  private(set) var single: [String: ContentLine] = [:]
  private(set) var additionalDates: [ContentLine] = []
  private(set) var excludedDates: [ContentLine] = []

  private static let singleNames: Set = [
    "DTEND", "DTSTART", "DURATION", "RECURRENCE-ID", "RRULE", "STATUS", "SUMMARY", "UID",
    OwnProperty.regions,
  ]

  init(number: Int) {
    self.number = number
  }

  mutating func add(_ line: ContentLine) throws(Flaw) {
    switch line.name {
    case "RDATE": additionalDates.append(line)
    case "EXDATE": excludedDates.append(line)
    case "EXRULE":
      throw Flaw("EXRULE is not understood; list the dates that are left out with EXDATE")
    case let name where Self.singleNames.contains(name):
      guard single.updateValue(line, forKey: name) == nil else {
        throw Flaw("\(name) is there twice in the event of line \(number); remove one")
      }
    default: try OwnProperty.refuse(line)
    }
  }
}
