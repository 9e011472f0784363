/// Cuts a stream of bytes, as they come, into lines that are not blank.
struct LineSplitter {
  /// The longest line, in bytes; one that is longer is passed over without being kept.
  let maximumBytes: Int
  private var bytes: [UInt8] = []
  /// Where in `bytes` the line begins that was not yet taken.
  private var start = 0
  /// How far that line is known to have no end, so that no byte is looked at twice.
  private var searched = 0
  private var number = 0
  private var isTooLong = false

  enum Line: Equatable {
    case text(number: Int, Range<Int>)
    case tooLong(number: Int)
  }

  init(maximumBytes: Int) {
    self.maximumBytes = maximumBytes
  }

  /// Ranges of lines taken before are void after this.
  mutating func append(_ more: some Collection<UInt8>) {
    bytes.removeSubrange(..<start)
    searched -= start
    start = 0
    bytes.append(contentsOf: more)
  }

  /// Ends the last line, which may lack its end.
  mutating func finish() {
    if start < bytes.count || isTooLong { append(CollectionOfOne(UInt8(ascii: "\n"))) }
  }

  /// The number of the line that comes next, from 1.
  var nextNumber: Int { number + 1 }

  /// How many bytes wait for the rest of their line.
  var waitingBytes: Int { bytes.count - start }

  mutating func next() -> Line? {
    while let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) {
      let range = start..<end
      number += 1
      start = end + 1
      searched = start
      if isTooLong || range.count > maximumBytes {
        isTooLong = false
        return .tooLong(number: number)
      }
      if bytes[range].contains(where: { !Self.isSpace($0) }) {
        return .text(number: number, range)
      }
    }
    searched = bytes.count
    if waitingBytes > maximumBytes {
      isTooLong = true
      start = bytes.count
    }
    return nil
  }

  /// Reads a line that was taken.
  func withBytes<Result>(
    of range: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[range])) }
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
  }
}
