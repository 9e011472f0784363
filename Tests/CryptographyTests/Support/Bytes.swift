import JSON

/// Returns the bytes of a text of hexadecimal digits.
func hex(_ text: String) -> [UInt8] {
  let digits = text.compactMap(\.hexDigitValue)
  return stride(from: 0, to: digits.count - 1, by: 2).map {
    UInt8(digits[$0] * 16 + digits[$0 + 1])
  }
}

/// Returns the bytes of a text in base64url; empty if the text is not valid base64url.
func base64URL(_ text: String) -> [UInt8] { Base64URL.decoded(text) ?? [] }
