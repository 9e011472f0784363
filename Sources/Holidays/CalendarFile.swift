/// A file in the iCalendar format (RFC 5545) that is still to be read.
package struct CalendarFile: Sendable {
  package let path: String
  package let content: [UInt8]

  /// The most bytes that are read.
  static let largest = 4 << 20

  package init(path: String, content: [UInt8]) {
    self.path = path
    self.content = content
  }

  /// "DE" for "/usr/share/chimed/holidays/de.ics"; nil if that is not a region's code.
  var region: RegionCode? {
    let name = path.split(separator: "/").last ?? ""
    return name.split(separator: ".").first.flatMap { RegionCode($0) }
  }
}
