/// The content lines of an iCalendar object (RFC 5545, section 3.1).
struct CalendarLines: Sendable {
  /// The maximum length of a line in octets, without its end.
  static let lineMax = 75

  private(set) var text = ""

  /// Adds a line whose value needs no escaping.
  mutating func add(_ name: String, _ value: String) {
    fold(name + ":" + value)
  }

  /// Adds a line with a value of the type TEXT.
  mutating func add(_ name: String, text: String) {
    fold(name + ":" + Self.escaped(text))
  }

  /// Escapes a text (section 3.3.11). A line break of any kind becomes `\n`; other control
  /// characters, which no value may contain, become spaces.
  private static func escaped(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.replacing("\r\n", with: "\n").unicodeScalars {
      switch scalar {
      case "\\", ";", ",": result += ["\\", scalar]
      case "\n", "\r": result += ["\\", "n"]
      case _ where scalar.properties.generalCategory == .control: result.append(" ")
      default: result.append(scalar)
      }
    }
    return String(result)
  }

  /// Adds a line, and divides it if it is too long. No character of UTF-8 is divided, because some
  /// readers decode lines before they join them.
  private mutating func fold(_ line: String) {
    var length = 0
    for scalar in line.unicodeScalars {
      let count = UTF8.width(scalar)
      if length + count > Self.lineMax {
        text += "\r\n "
        length = 1
      }
      text.unicodeScalars.append(scalar)
      length += count
    }
    text += "\r\n"
  }
}
