import Glibc

/// Writes bytes into memory of the caller, without checking the memory's size.
struct JSONPen {
  /// The length of the longest escape: \u001f.
  static let longestEscape = 6

  private var cursor: UnsafeMutablePointer<UInt8>

  init(at cursor: UnsafeMutablePointer<UInt8>) {
    self.cursor = cursor
  }

  /// Returns the number of bytes written since the pen was at `start`.
  func count(from start: UnsafeMutablePointer<UInt8>) -> Int {
    cursor - start
  }

  mutating func put(_ byte: UInt8) {
    cursor.pointee = byte
    cursor += 1
  }

  mutating func put(_ text: UnsafeBufferPointer<UInt8>) {
    guard let start = text.baseAddress else { return }
    cursor.update(from: start, count: text.count)
    cursor += text.count
  }

  /// Writes a number in decimal, in at most 20 characters.
  mutating func put(_ value: Int64) {
    if value < 0 { put(UInt8(ascii: "-")) }
    var rest = value.magnitude
    var count = 1
    var limit: UInt64 = 10
    while count < 19, rest >= limit {
      count += 1
      limit *= 10
    }
    cursor += count
    for index in 1...count {
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      cursor[-index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
      rest = quotient
    }
  }

  /// Writes the text, and escapes each byte that JSON strings do not allow.
  mutating func put(escaping text: UnsafeBufferPointer<UInt8>) {
    for byte in text {
      guard byte.needsEscapeInJSON else {
        put(byte)
        continue
      }
      put(UInt8(ascii: "\\"))
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): put(byte)
      case 0x08: put(UInt8(ascii: "b"))
      case 0x0c: put(UInt8(ascii: "f"))
      case UInt8(ascii: "\n"): put(UInt8(ascii: "n"))
      case UInt8(ascii: "\r"): put(UInt8(ascii: "r"))
      case UInt8(ascii: "\t"): put(UInt8(ascii: "t"))
      default: putCodeUnit(byte)
      }
    }
  }

  /// Writes the escape of a control character after the backslash, such as u001f.
  private mutating func putCodeUnit(_ byte: UInt8) {
    put(UInt8(ascii: "u"))
    put(UInt8(ascii: "0"))
    put(UInt8(ascii: "0"))
    for digit in [byte >> 4, byte & 0xf] {
      put(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }
  }
}

extension UInt8 {
  var needsEscapeInJSON: Bool {
    self < 0x20 || self == UInt8(ascii: "\"") || self == UInt8(ascii: "\\")
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// The number of bytes that need an escape in a JSON string.
  var escapesInJSON: Int {
    reduce(into: 0) { $0 += $1.needsEscapeInJSON ? 1 : 0 }
  }
}

extension String {
  /// Returns whether both strings have the same UTF-8 code units, which is how JSON compares
  /// strings (RFC 8259, section 8.3). O(count).
  func hasSameBytes(as text: String) -> Bool {
    guard utf8.count == text.utf8.count else { return false }
    return withUTF8Bytes { left in
      text.withUTF8Bytes { right in
        guard let start = left.baseAddress, let other = right.baseAddress else { return true }
        return memcmp(start, other, left.count) == 0
      }
    }
  }

  /// Calls `body` with the UTF-8 code units; copies only strings bridged from other languages.
  @inline(__always)
  func withUTF8Bytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
    var copy = self
    return copy.withUTF8(body)
  }
}
