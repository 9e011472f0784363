/// Spreads the bits of a number so that every bit of the result depends on every bit of it
/// (the finalizer of SplitMix64, Steele, Lea and Flood 2014).
package func mixed(_ value: UInt64) -> UInt64 {
  var bits = value &+ 0x9e37_79b9_7f4a_7c15
  bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
  bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
  return bits ^ (bits >> 31)
}

/// The 64-bit FNV-1a hash of a text; stable over runs and machines, unlike `Hasher`.
///
/// No identity: whoever wants to finds two texts with the same hash in a second. It is for what may
/// be the same for two things and does no harm then, such as a choice, a jitter or a fingerprint.
package func stableHash(_ text: String) -> UInt64 {
  var hash: UInt64 = 0xcbf2_9ce4_8422_2325
  for byte in text.utf8 {
    hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
  }
  return hash
}
