/// Splits a stream of bytes into lines. Blank lines are skipped but counted.
struct LineSplitter {
  /// The maximum length of a line in bytes; longer lines are skipped without buffering.
  let maximumBytes: Int
  private var bytes: [UInt8] = []
  /// The offset in `bytes` at which the next line starts.
  private var start = 0
  /// `bytes` has no line end before this offset, so no byte is scanned twice.
  private var scanOffset = 0
  /// The number of lines read.
  private var number = 0
  /// Whether the beginning of the next line was discarded because of its length.
  private var isTooLong = false

  enum Line: Equatable {
    /// A line; `withBytes` gives access to the bytes in its range.
    case text(number: Int, Range<Int>)
    case tooLong(number: Int)
  }

  init(maximumBytes: Int) {
    self.maximumBytes = maximumBytes
  }

  /// Appends bytes, and invalidates the ranges of earlier lines.
  mutating func append(_ more: some Collection<UInt8>) {
    bytes.removeSubrange(..<start)
    scanOffset -= start
    start = 0
    bytes.append(contentsOf: more)
  }

  /// Ends the last line, which may lack its line feed.
  mutating func finish() {
    if start < bytes.count || isTooLong { append(CollectionOfOne(UInt8(ascii: "\n"))) }
  }

  /// The number of the next line, from 1.
  var nextNumber: Int { number + 1 }

  /// The number of buffered bytes after the last line that `next` returned.
  var waitingBytes: Int { bytes.count - start }

  /// Returns the next complete line; nil if more bytes are needed.
  mutating func next() -> Line? {
    while let end = bytes[scanOffset...].firstIndex(of: UInt8(ascii: "\n")) {
      let range = start..<end
      number += 1
      start = end + 1
      scanOffset = start
      if isTooLong || range.count > maximumBytes {
        isTooLong = false
        return .tooLong(number: number)
      }
      if bytes[range].contains(where: { !Self.isSpace($0) }) {
        return .text(number: number, range)
      }
    }
    scanOffset = bytes.count
    if waitingBytes > maximumBytes {
      isTooLong = true
      start = bytes.count
    }
    return nil
  }

  /// Passes the bytes of a line to a closure.
  func withBytes<Result>(
    of range: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[range])) }
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
  }
}
