/// A country by ISO 3166-1, such as "DE", or a part of one by ISO 3166-2, such as "DE-BY".
struct RegionCode: Hashable, Sendable {
  /// In capitals.
  let text: String

  /// Nil unless it has the form; whether anyone has such a code is not asked.
  init?(_ text: some StringProtocol) {
    let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard parts.count <= 2, parts[0].count == 2, parts[0].allSatisfy(Self.isLetter) else {
      return nil
    }
    if parts.count == 2 {
      guard (1...3).contains(parts[1].count), parts[1].allSatisfy(Self.isLetterOrDigit) else {
        return nil
      }
    }
    self.text = text.uppercased()
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}

extension RegionCode: Comparable {
  static func < (left: RegionCode, right: RegionCode) -> Bool {
    left.text < right.text
  }
}
