/// The lines of a text that has a JSON document on each (NDJSON), blank lines left out.
///
/// A line ends with "\n" or "\r\n"; the last one may end with the text.
package struct JSONLines: Sequence, IteratorProtocol {
  package struct Line: Hashable, Sendable {
    /// The number of the line in the text, from 1, blank lines counted.
    package var number: Int
    /// Where in the text the line is, without its end.
    package var range: Range<Int>
  }

  private let bytes: UnsafeRawBufferPointer
  private var start = 0
  private var number = 0

  /// `bytes` have to stay valid while the lines are read.
  package init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  package mutating func next() -> Line? {
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
      let line = bytes[start..<end]
      number += 1
      start = end + 1
      guard line.contains(where: { !Self.isSpace($0) }) else { continue }
      let hasReturn = line.last == UInt8(ascii: "\r")
      return Line(number: number, range: line.startIndex..<(hasReturn ? end - 1 : end))
    }
    return nil
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
  }
}
