internal import Glibc

/// The parts of a TZif file (RFC 8536) that decide whether cctz reads it correctly.
struct ZoneFile {
  /// The last listed clock change, in seconds since the epoch; nil if there is none.
  let lastTransition: Int64?
  /// The rules for the time after the last listed change, in the format of the POSIX variable TZ.
  let footer: ArraySlice<UInt8>

  /// The least ``lastTransition`` of a file in zic's fat form: 2036-01-01T00:00:00Z, in seconds
  /// since the epoch.
  private static let fatTransitionMin: Int64 = 2_082_758_400
  private static let headerLength = 44

  /// Whether the listed clock changes end before 2036, although the footer has rules. (zic's fat
  /// form lists the changes until 2037.) For such a slim file, cctz 2.3 uses the last two listed
  /// changes instead of the footer's rules. If these differ, the computed times are wrong.
  var isSlim: Bool {
    footer.contains(UInt8(ascii: ",")) && (lastTransition ?? .min) < Self.fatTransitionMin
  }

  /// Returns whether the content has the length that its headers and footer require; false for a
  /// truncated file.
  static func isWhole(_ content: [UInt8]) -> Bool {
    guard content.count >= headerLength else { return false }
    guard content[4] >= UInt8(ascii: "2") else {
      return content.count == headerLength + dataLength(content, header: 0, timeSize: 4)
    }
    guard let footer = ZoneFile(content)?.footer, footer.count >= 2 else { return false }
    let newline = UInt8(ascii: "\n")
    return footer.first == newline
      && footer.dropFirst().firstIndex(of: newline) == footer.endIndex - 1
  }

  /// Returns nil for a file shorter than its headers require, and for version 1, which has no
  /// footer.
  init?(_ content: [UInt8]) {
    guard content.count >= Self.headerLength, content[4] >= UInt8(ascii: "2") else { return nil }
    let secondHeader = Self.headerLength + Self.dataLength(content, header: 0, timeSize: 4)
    guard content.count >= secondHeader + Self.headerLength else { return nil }
    let data = secondHeader + Self.headerLength
    let end = data + Self.dataLength(content, header: secondHeader, timeSize: 8)
    guard content.count >= end else { return nil }
    let transitionCount = Self.number(content, at: secondHeader + 32, size: 4)
    let last = data + 8 * (transitionCount - 1)
    lastTransition = transitionCount == 0 ? nil : Int64(Self.number(content, at: last, size: 8))
    footer = content[end...]
  }

  /// Returns the length in bytes of the data after a header. The header has six counts, in this
  /// order: UT indicators, standard indicators, leap seconds, transitions, types and characters.
  ///
  /// - Parameters:
  ///   - header: the offset of the header.
  ///   - timeSize: the length of an instant in the data, in bytes.
  private static func dataLength(_ content: [UInt8], header: Int, timeSize: Int) -> Int {
    let sizes = [1, 1, timeSize + 4, timeSize + 1, 6, 1]
    return sizes.enumerated().reduce(0) { length, size in
      length + size.element * number(content, at: header + 20 + 4 * size.offset, size: 4)
    }
  }

  /// Returns a big-endian number of 4 bytes, or of 8 bytes with a sign.
  private static func number(_ content: [UInt8], at offset: Int, size: Int) -> Int {
    content[offset..<(offset + size)].reduce(0) { $0 << 8 | Int($1) }
  }
}
