internal import CivilTime

/// A property line, or the BEGIN or END of a component: `NAME;PARAMETER=value:value`.
struct ContentLine {
  /// In capitals.
  let name: String
  /// Names in capitals; only the first of several values, without quotation marks.
  let parameters: [(name: String, value: String)]
  let value: ArraySlice<UInt8>
  /// The number of its first line in the file, from 1.
  let number: Int

  init(_ line: UnfoldedLine) throws(Flaw) {
    var scanner = ContentLineScanner(line.bytes)
    name = try scanner.takeName()
    var parameters: [(name: String, value: String)] = []
    while let parameter = try scanner.takeParameter() { parameters.append(parameter) }
    self.parameters = parameters
    value = try scanner.takeValue()
    number = line.number
  }

  /// The value of the first parameter with this name.
  func parameter(_ name: String) -> String? {
    parameters.first { $0.name == name }?.value
  }

  /// The raw value, without surrounding spaces.
  var trimmedValue: ArraySlice<UInt8> {
    let isSpace: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    let trimmed = value.drop(while: isSpace)
    guard let last = trimmed.lastIndex(where: { !isSpace($0) }) else { return [] }
    return trimmed[...last]
  }

  /// The text of ``trimmedValue``.
  var word: String { String(decoding: trimmedValue, as: UTF8.self) }

  /// ``trimmedValue``, split at commas. (Text may have escaped commas.)
  var parts: [ArraySlice<UInt8>] {
    trimmedValue.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
  }

  /// The texts of ``parts``.
  var words: [String] { parts.map { String(decoding: $0, as: UTF8.self) } }
}

/// Scans a content line from start to end (RFC 5545, section 3.1).
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

  /// Scans the next parameter; nil at the start of the value.
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

  /// Returns the part after the colon.
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
    guard !rest.isEmpty else {
      throw Flaw("a quotation mark is not closed on this line; add the closing one")
    }
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

/// A content line, unfolded but not parsed.
struct UnfoldedLine {
  /// The number of its first line in the file, from 1.
  let number: Int
  /// Without the line's end.
  let bytes: ArraySlice<UInt8>
}

/// The unfolded content lines of an iCalendar file (RFC 5545, section 3.1): a line that begins with
/// a space or a tab continues the previous one, byte by byte, so that a fold may split a character.
/// Lines end with LF or CRLF; empty ones are skipped.
struct UnfoldedLines: Sequence, IteratorProtocol {
  private var rest: ArraySlice<UInt8>
  /// The number of the last line read.
  private var number = 0

  init(_ bytes: [UInt8]) {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    rest = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
  }

  mutating func next() -> UnfoldedLine? {
    while !rest.isEmpty {
      var line = takePhysicalLine()
      let start = number
      while let first = rest.first, Self.isFold(first) {
        line += takePhysicalLine().dropFirst()
      }
      if !line.isEmpty { return UnfoldedLine(number: start, bytes: line) }
    }
    return nil
  }

  private mutating func takePhysicalLine() -> ArraySlice<UInt8> {
    number += 1
    let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
    let line = rest[rest.startIndex..<end]
    rest = rest[end...].dropFirst()
    return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
  }

  private static func isFold(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }
}
