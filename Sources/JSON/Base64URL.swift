/// Base64url without padding (RFC 4648, section 5), as in JSON Web Tokens and JSON Web Keys.
package enum Base64URL {
  /// Returns the decoded bytes; nil if the text is invalid or its unused bits are not zero.
  package static func decoded(_ text: some StringProtocol) -> [UInt8]? {
    guard let (bytes, unusedBits) = read(text.utf8), unusedBits == 0 else { return nil }
    return bytes
  }

  /// Returns the decoded bytes of a key from a person or a browser; nil if the text is invalid.
  /// Unlike `decoded`, it accepts padding, the letters of plain base64, and non-zero unused bits.
  package static func decodedLeniently(_ text: String) -> [UInt8]? {
    let letters = text.utf8
    let padding = letters.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    return read(letters.dropLast(padding).lazy.map(Self.urlLetter))?.bytes
  }

  /// Returns the base64url letter with the same value as a letter of plain base64. Returns other
  /// letters unchanged.
  private static func urlLetter(_ letter: UInt8) -> UInt8 {
    switch letter {
    case UInt8(ascii: "+"): UInt8(ascii: "-")
    case UInt8(ascii: "/"): UInt8(ascii: "_")
    default: letter
    }
  }

  /// Returns the decoded bytes and the unused bits of the last letter; nil for invalid text.
  private static func read(
    _ text: some Collection<UInt8>
  ) -> (bytes: [UInt8], unusedBits: UInt32)? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count * 3 / 4)
    var bits: UInt32 = 0
    var bitCount = 0
    for letter in text {
      guard let value = value(of: letter) else { return nil }
      bits = bits << 6 | value
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
        bits &= (1 << UInt32(bitCount)) - 1
      }
    }
    return bitCount < 6 ? (bytes, bits) : nil
  }

  package static func encoded(_ bytes: some Sequence<UInt8>) -> String {
    var output: [UInt8] = []
    var bits: UInt32 = 0
    var bitCount = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      bitCount += 8
      while bitCount >= 6 {
        bitCount -= 6
        output.append(alphabet[Int(bits >> UInt32(bitCount) & 63)])
      }
    }
    if bitCount > 0 { output.append(alphabet[Int(bits << UInt32(6 - bitCount) & 63)]) }
    return String(decoding: output, as: UTF8.self)
  }

  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  private static func value(of letter: UInt8) -> UInt32? {
    switch letter {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(letter - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(letter - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(letter - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "-"): 62
    case UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
