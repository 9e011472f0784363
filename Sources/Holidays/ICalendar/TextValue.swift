/// Reads the text of a human-readable property such as SUMMARY (RFC 5545, section 3.3.11).
package enum TextValue {
  /// The maximum length of a text, in bytes of UTF-8.
  static let lengthMax = 255

  /// Returns the text on one line, without escapes. Each run of line breaks, tabs and spaces
  /// becomes one space.
  package static func line(of property: ContentLine) throws(HolidaySyntaxError) -> String {
    let bytes = unescaped(property.value)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw HolidaySyntaxError("\(property.name) is not UTF-8; save the file in that encoding")
    }
    if let control = text.unicodeScalars.first(where: isControl) {
      throw HolidaySyntaxError(
        "\(property.name) has a control character (code \(control.value)); remove it")
    }
    let line = text.split(separator: " ").joined(separator: " ")
    guard line.utf8.count <= lengthMax else {
      throw HolidaySyntaxError(
        "\(property.name) has \(line.utf8.count) bytes; at most \(lengthMax) are allowed; "
          + "shorten it")
    }
    return line
  }

  /// Returns whether a character would break the line or control a terminal.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: true
    default: false
    }
  }

  /// Returns the bytes without escapes; line breaks and tabs become spaces.
  private static func unescaped(_ value: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(value.count)
    var rest = value
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\\"), let escaped = meaning(of: rest.first) {
        bytes.append(escaped)
        rest = rest.dropFirst()
      } else {
        bytes.append(byte == UInt8(ascii: "\t") ? UInt8(ascii: " ") : byte)
      }
    }
    return bytes
  }

  /// Returns the unescaped byte for the byte after a backslash; nil if the backslash is literal.
  private static func meaning(of byte: UInt8?) -> UInt8? {
    switch byte {
    case UInt8(ascii: "n"), UInt8(ascii: "N"): UInt8(ascii: " ")
    case UInt8(ascii: "\\"), UInt8(ascii: ";"), UInt8(ascii: ","): byte
    default: nil
    }
  }
}
