internal import CivilTime

/// Takes a content line apart from its start to its end (RFC 5545, section 3.1).
struct ContentLineScanner {
  private let line: ArraySlice<UInt8>
  private var rest: ArraySlice<UInt8>

  init(_ line: ArraySlice<UInt8>) {
    self.line = line
    rest = line
  }

  mutating func takeName() throws(Flaw) -> String {
    let name = take { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ":") }
    guard !name.isEmpty, !rest.isEmpty, name.allSatisfy(Self.isPartOfName) else {
      throw Flaw(
        NameRefusal.quoted(String(decoding: line, as: UTF8.self))
          + " is not a property such as SUMMARY:New Year; correct or remove the line")
    }
    return Self.capitals(name)
  }

  /// The next parameter; nil where the value begins.
  mutating func takeParameter() throws(Flaw) -> (name: String, value: String)? {
    guard rest.first == UInt8(ascii: ";") else { return nil }
    rest = rest.dropFirst()
    let name = take { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ":") }
    guard !name.isEmpty, rest.first == UInt8(ascii: "=") else {
      throw Flaw(
        "the parameter " + NameRefusal.quoted(String(decoding: name, as: UTF8.self))
          + " has no value; write it as in DTSTART;VALUE=DATE:20260101")
    }
    rest = rest.dropFirst()
    let value = try takeParameterValue()
    while rest.first == UInt8(ascii: ",") {
      rest = rest.dropFirst()
      _ = try takeParameterValue()
    }
    return (Self.capitals(name), String(decoding: value, as: UTF8.self))
  }

  /// What stands after the colon.
  mutating func takeValue() throws(Flaw) -> ArraySlice<UInt8> {
    guard rest.first == UInt8(ascii: ":") else {
      throw Flaw("there is no colon before the value; write it as in SUMMARY:New Year")
    }
    return rest.dropFirst()
  }

  private mutating func takeParameterValue() throws(Flaw) -> ArraySlice<UInt8> {
    guard rest.first == UInt8(ascii: "\"") else {
      let ends = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: ":")]
      return take { !ends.contains($0) }
    }
    rest = rest.dropFirst()
    let value = take { $0 != UInt8(ascii: "\"") }
    guard !rest.isEmpty else { throw Flaw("a quotation mark is not closed on this line") }
    rest = rest.dropFirst()
    return value
  }

  private mutating func take(while isWanted: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let taken = rest.prefix(while: isWanted)
    rest = rest[taken.endIndex...]
    return taken
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
