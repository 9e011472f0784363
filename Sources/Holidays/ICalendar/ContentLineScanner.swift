internal import CivilTime

/// Scans a content line from start to end (RFC 5545, section 3.1).
struct ContentLineScanner {
  private let line: ArraySlice<UInt8>
  private var rest: ArraySlice<UInt8>

  init(_ line: ArraySlice<UInt8>) {
    self.line = line
    rest = line
  }

  mutating func readName() throws(HolidaySyntaxError) -> String {
    let name = read { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ":") }
    guard !name.isEmpty, !rest.isEmpty, name.allSatisfy(Self.isPartOfName) else {
      throw HolidaySyntaxError(
        NameRefusal.quoted(String(decoding: line, as: UTF8.self))
          + " is not a property such as SUMMARY:New Year; correct or remove the line")
    }
    return Self.capitals(name)
  }

  /// Reads the next parameter, with its first value. Returns nil if no parameter follows.
  mutating func readParameter() throws(HolidaySyntaxError) -> (name: String, value: String)? {
    guard rest.first == UInt8(ascii: ";") else { return nil }
    rest = rest.dropFirst()
    let name = read { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ":") }
    guard !name.isEmpty, rest.first == UInt8(ascii: "=") else {
      throw HolidaySyntaxError(
        "the parameter " + NameRefusal.quoted(String(decoding: name, as: UTF8.self))
          + " has no value; write it as in DTSTART;VALUE=DATE:20260101")
    }
    rest = rest.dropFirst()
    let value = try readParameterValue()
    while rest.first == UInt8(ascii: ",") {
      rest = rest.dropFirst()
      _ = try readParameterValue()
    }
    return (Self.capitals(name), String(decoding: value, as: UTF8.self))
  }

  /// Returns the bytes after the colon.
  mutating func readValue() throws(HolidaySyntaxError) -> ArraySlice<UInt8> {
    guard rest.first == UInt8(ascii: ":") else {
      throw HolidaySyntaxError(
        "there is no colon before the value; write it as in SUMMARY:New Year")
    }
    return rest.dropFirst()
  }

  private mutating func readParameterValue() throws(HolidaySyntaxError) -> ArraySlice<UInt8> {
    guard rest.first == UInt8(ascii: "\"") else {
      let ends = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: ":")]
      return read { !ends.contains($0) }
    }
    rest = rest.dropFirst()
    let value = read { $0 != UInt8(ascii: "\"") }
    guard !rest.isEmpty else {
      throw HolidaySyntaxError("a quotation mark is not closed on this line; add the closing one")
    }
    rest = rest.dropFirst()
    return value
  }

  private mutating func read(while condition: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let bytes = rest.prefix(while: condition)
    rest = rest[bytes.endIndex...]
    return bytes
  }

  private static func isPartOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default:
      false
    }
  }

  private static func capitals(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self).uppercased()
  }
}
