import Glibc

extension String {
  /// Whether both have the same UTF-8 code units, which is how JSON compares strings (RFC 8259,
  /// section 8.3). O(count).
  func hasSameBytes(as text: String) -> Bool {
    guard utf8.count == text.utf8.count else { return false }
    return withUTF8Bytes { left in
      text.withUTF8Bytes { right in
        guard let start = left.baseAddress, let other = right.baseAddress else { return true }
        return memcmp(start, other, left.count) == 0
      }
    }
  }

  /// Calls `body` with the UTF-8 code units, without a copy for any string that Swift made.
  @inline(__always)
  func withUTF8Bytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
    var copy = self
    return copy.withUTF8(body)
  }
}
