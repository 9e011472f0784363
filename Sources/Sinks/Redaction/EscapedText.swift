/// A text whose characters may be escaped as in JSON, URLs, forms or HTML.
struct EscapedText {
  /// A character that the text at a position may stand for.
  struct Reading {
    let scalar: Unicode.Scalar
    /// The position after the character.
    let end: Int

    init(_ scalar: Unicode.Scalar, end: Int) {
      self.scalar = scalar.folded
      self.end = end
    }
  }

  /// The maximum length of an escaped character: an entity with leading zeros, or a surrogate pair
  /// in JSON.
  static let escapeMax = 12

  /// The case-folded text.
  let scalars: [Unicode.Scalar]

  init(_ scalars: [Unicode.Scalar]) {
    self.scalars = scalars.map(\.folded)
  }

  /// Returns the characters that an escape at a position may stand for, without the character at
  /// the position itself.
  func escapes(at index: Int) -> [Reading] {
    switch scalars[index] {
    case "+": [Reading(" ", end: index + 1)]
    case "%": percentEscape(at: index)
    case "&": entity(at: index)
    case "\\": backslashEscapes(at: index)
    default: []
    }
  }

  // MARK: - JSON

  /// The maximum number of backslashes before a character: in JSON nested three times, a quotation
  /// mark has seven.
  private static let backslashCountMax = 7

  private func backslashEscapes(at index: Int) -> [Reading] {
    var readings: [Reading] = []
    let following = scalars[index...].dropFirst().first
    if following == "\\" { readings.append(Reading("\\", end: index + 2)) }
    guard let next = endOfBackslashes(at: index) else { return readings }
    readings.append(Reading(scalars[next], end: next + 1))
    let isControl = "bfnrt".unicodeScalars.contains(scalars[next])
    if isControl { readings.append(Reading(" ", end: next + 1)) }
    // JSON inside HTML has `\&quot;` for `\"`.
    return readings + unicodeEscape(at: next) + escapes(at: next)
  }

  /// Returns the position after the backslashes at a position; nil if there are more than
  /// `backslashCountMax`, or if the text ends with them.
  private func endOfBackslashes(at index: Int) -> Int? {
    scalars[index...].prefix(Self.backslashCountMax + 1).firstIndex { $0 != "\\" }
  }

  /// Reads `u` and four digits, twice for a surrogate pair.
  private func unicodeEscape(at index: Int) -> [Reading] {
    guard let first = unit(at: index) else { return [] }
    if let scalar = Unicode.Scalar(first) { return [Reading(scalar, end: index + 5)] }
    guard let next = endOfBackslashes(at: index + 5), let second = unit(at: next) else { return [] }
    let pair = String(decoding: [first, second], as: UTF16.self).unicodeScalars
    guard pair.count == 1, let scalar = pair.first else { return [] }
    return [Reading(scalar, end: next + 5)]
  }

  /// Reads `u` and four digits as one UTF-16 code unit.
  private func unit(at index: Int) -> UInt16? {
    guard scalars[index] == "u" else { return nil }
    return number(at: index + 1, digits: 4).map { UInt16($0) }
  }

  /// Parses hexadecimal digits.
  private func number(at index: Int, digits count: Int) -> UInt32? {
    let digits = scalars[index...].prefix(count)
    guard digits.count == count, digits.allSatisfy(\.properties.isASCIIHexDigit) else { return nil }
    return UInt32(String(String.UnicodeScalarView(digits)), radix: 16)
  }

  // MARK: - URLs and forms

  /// Reads the bytes of a UTF-8 character, each as `%` and two digits.
  private func percentEscape(at index: Int) -> [Reading] {
    var bytes: [UInt8] = []
    var end = index
    while bytes.count < 4, end < scalars.count, scalars[end] == "%",
      let byte = number(at: end + 1, digits: 2)
    {
      bytes.append(UInt8(byte))
      end += 3
      if let scalar = String(validating: bytes, as: UTF8.self)?.unicodeScalars.first {
        return [Reading(scalar, end: end)]
      }
    }
    return []
  }

  // MARK: - HTML

  private static let namedEntities: [String: Unicode.Scalar] = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'",
  ]

  private func entity(at index: Int) -> [Reading] {
    let beginning = scalars[index...].prefix(Self.escapeMax)
    guard let end = beginning.firstIndex(of: ";") else { return [] }
    let name = String(String.UnicodeScalarView(scalars[index + 1..<end]))
    let scalar = Self.namedEntities[name] ?? Self.number(name).flatMap { Unicode.Scalar($0) }
    return scalar.map { [Reading($0, end: end + 1)] } ?? []
  }

  /// Parses `#39` or `#x27`.
  private static func number(_ name: String) -> UInt32? {
    guard name.hasPrefix("#") else { return nil }
    return name.hasPrefix("#x") ? UInt32(name.dropFirst(2), radix: 16) : UInt32(name.dropFirst())
  }
}

extension Unicode.Scalar {
  /// The character in lower case; a space for control characters, because headers have a space
  /// instead of a line break.
  var folded: Unicode.Scalar {
    if value < 0x20 { return " " }
    if isASCII { return ("A"..."Z").contains(self) ? Unicode.Scalar(UInt8(value) | 0x20) : self }
    return properties.lowercaseMapping.unicodeScalars.first ?? self
  }
}
