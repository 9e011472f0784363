/// Converts an ECDSA signature with the curve P-256.
enum ECDSASignature {
  /// Returns both numbers of a signature in DER, each in 32 bytes; nil for other bytes.
  static func numbers(ofDER bytes: [UInt8]) -> [UInt8]? {
    guard bytes.count > 2, bytes[0] == 0x30, Int(bytes[1]) == bytes.count - 2 else { return nil }
    var remaining = bytes[2...]
    var numbers: [UInt8] = []
    for _ in 1...2 {
      guard remaining.popFirst() == 0x02, let count = remaining.popFirst(),
        remaining.count >= count
      else { return nil }
      let digits = remaining.prefix(Int(count)).drop { $0 == 0 }
      guard digits.count <= 32 else { return nil }
      numbers += Array(repeating: 0, count: 32 - digits.count) + digits
      remaining = remaining.dropFirst(Int(count))
    }
    return remaining.isEmpty ? numbers : nil
  }
}
