import Foundation

/// The encoded body of a mail part: lines of at most 76 ASCII characters that end in CRLF (RFC
/// 2045, section 6).
struct MailText {
  enum Encoding: String {
    case quotedPrintable = "quoted-printable"
    case base64
  }

  let encoding: Encoding
  let body: String

  /// Chooses an encoding by the share of non-ASCII bytes, so that mostly Latin text stays readable.
  init(_ text: String) {
    let bytes = Self.withNetworkLines(text)
    let nonASCIICount = bytes.reduce(0) { $0 + ($1 >= 0x80 ? 1 : 0) }
    encoding = nonASCIICount * 5 > bytes.count ? .base64 : .quotedPrintable
    body =
      encoding == .base64
      ? Self.base64(bytes) : Self.quotedPrintable(bytes)
  }

  /// The maximum length of a line in characters.
  private static let lineMax = 76
  private static let lineBreak = Array("\r\n".utf8)

  /// Converts every kind of line break to CRLF.
  private static func withNetworkLines(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    var previous: UInt8 = 0
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\r"): bytes += lineBreak
      case UInt8(ascii: "\n"): if previous != UInt8(ascii: "\r") { bytes += lineBreak }
      default: bytes.append(byte)
      }
      previous = byte
    }
    return bytes
  }

  private static func base64(_ bytes: [UInt8]) -> String {
    // 57 bytes become 76 characters.
    var lines: [String] = []
    for start in stride(from: 0, to: bytes.count, by: 57) {
      let line = Data(bytes[start..<min(start + 57, bytes.count)])
      lines.append(line.base64EncodedString())
    }
    return lines.map { $0 + "\r\n" }.joined()
  }

  // MARK: - Quoted-printable

  private static func quotedPrintable(_ bytes: [UInt8]) -> String {
    var output: [UInt8] = []
    for line in lines(of: bytes) {
      appendQuoted(line, to: &output)
      output += lineBreak
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// Returns the lines without their breaks; drops an empty line after the last break.
  private static func lines(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var start = 0
    while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\r")) {
      lines.append(bytes[start..<end])
      start = end + lineBreak.count
    }
    if start < bytes.count { lines.append(bytes[start...]) }
    return lines
  }

  private static func appendQuoted(_ line: ArraySlice<UInt8>, to output: inout [UInt8]) {
    var column = 0
    for (index, byte) in zip(line.indices, line) {
      let isLast = index == line.endIndex - 1
      let token = token(for: byte, isLast: isLast)
      // The soft line break needs one column.
      if column + token.count > lineMax - (isLast ? 0 : 1) {
        output += [UInt8(ascii: "=")] + lineBreak
        column = 0
      }
      output += token
      column += token.count
    }
  }

  private static func token(for byte: UInt8, isLast: Bool) -> [UInt8] {
    switch byte {
    case UInt8(ascii: "="): hexadecimal(byte)
    case UInt8(ascii: " "), UInt8(ascii: "\t"): isLast ? hexadecimal(byte) : [byte]
    case 0x21...0x7E: [byte]
    default: hexadecimal(byte)
    }
  }

  private static let digits = Array("0123456789ABCDEF".utf8)

  private static func hexadecimal(_ byte: UInt8) -> [UInt8] {
    [UInt8(ascii: "="), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
  }
}
