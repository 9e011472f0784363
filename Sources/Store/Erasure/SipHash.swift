/// SipHash-2-4 (Aumasson and Bernstein 2012): a hash that tells nothing of a short text to whoever
/// has not got the key.
struct SipHash {
  private var v0: UInt64
  private var v1: UInt64
  private var v2: UInt64
  private var v3: UInt64

  /// - Parameter key: its first and its second half.
  static func hash(_ text: String, key: (UInt64, UInt64)) -> UInt64 {
    var state = SipHash(key: key)
    let bytes = Array(text.utf8)
    var rest = bytes[...]
    while rest.count >= 8 {
      state.absorb(word(rest.prefix(8)))
      rest = rest.dropFirst(8)
    }
    state.absorb(word(rest) | UInt64(truncatingIfNeeded: bytes.count) << 56)
    return state.finished()
  }

  private init(key: (UInt64, UInt64)) {
    v0 = key.0 ^ 0x736f_6d65_7073_6575
    v1 = key.1 ^ 0x646f_7261_6e64_6f6d
    v2 = key.0 ^ 0x6c79_6765_6e65_7261
    v3 = key.1 ^ 0x7465_6462_7974_6573
  }

  /// Little-endian.
  private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  private mutating func absorb(_ word: UInt64) {
    v3 ^= word
    round()
    round()
    v0 ^= word
  }

  private mutating func finished() -> UInt64 {
    v2 ^= 0xff
    for _ in 0..<4 { round() }
    return v0 ^ v1 ^ v2 ^ v3
  }

  private mutating func round() {
    v0 &+= v1
    v1 = rotated(v1, by: 13) ^ v0
    v0 = rotated(v0, by: 32)
    v2 &+= v3
    v3 = rotated(v3, by: 16) ^ v2
    v0 &+= v3
    v3 = rotated(v3, by: 21) ^ v0
    v2 &+= v1
    v1 = rotated(v1, by: 17) ^ v2
    v2 = rotated(v2, by: 32)
  }

  private func rotated(_ word: UInt64, by count: UInt64) -> UInt64 {
    word << count | word >> (64 - count)
  }
}
