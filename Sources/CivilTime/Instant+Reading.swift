extension Instant {
  /// Reads an RFC 3339 date and time, such as "2026-03-02T03:00:00.5+01:00".
  ///
  /// The date must exist; "t" and "z" may be lower case; digits of the fraction beyond the third
  /// are dropped; a leap second (":60") is taken as the second before it; the years, as written
  /// and in UTC, are 0001 to 9999. Nil for anything else. Takes about 30 ns.
  package init?(_ text: String) {
    self.init(reading: text.utf8)
  }

  package init?(_ text: Substring) {
    self.init(reading: text.utf8)
  }

  /// As above, from bytes that hold nothing else.
  package init?(ascii bytes: UnsafeBufferPointer<UInt8>) {
    guard let milliseconds = InstantReader(bytes: bytes).read() else { return nil }
    self.init(milliseconds: milliseconds)
  }

  @inline(__always)
  private init?(reading utf8: some Collection<UInt8>) {
    // Only a string bridged from elsewhere has no contiguous storage.
    let read = utf8.withContiguousStorageIfAvailable { Instant(ascii: $0) }
    guard let instant = read ?? Array(utf8).withUnsafeBufferPointer({ Instant(ascii: $0) }) else {
      return nil
    }
    self = instant
  }
}
