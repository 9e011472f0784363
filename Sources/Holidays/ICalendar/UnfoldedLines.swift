/// A content line before it is taken apart.
struct UnfoldedLine {
  /// The line of the file on which it begins, from 1.
  let number: Int
  /// Without the end of the line.
  let bytes: ArraySlice<UInt8>
}

/// The content lines of an iCalendar file, with their folds undone (RFC 5545, section 3.1): a line
/// that begins with a space or a tab continues the one before it, after these bytes alone, so that
/// even a character may be cut in two. Lines end with LF or CRLF; empty ones are passed over.
struct UnfoldedLines: Sequence, IteratorProtocol {
  private var rest: ArraySlice<UInt8>
  /// Of the physical line read last.
  private var number = 0

  init(_ bytes: [UInt8]) {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    rest = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
  }

  mutating func next() -> UnfoldedLine? {
    while !rest.isEmpty {
      var line = takePhysicalLine()
      let start = number
      while let first = rest.first, Self.isFold(first) {
        line += takePhysicalLine().dropFirst()
      }
      if !line.isEmpty { return UnfoldedLine(number: start, bytes: line) }
    }
    return nil
  }

  private mutating func takePhysicalLine() -> ArraySlice<UInt8> {
    number += 1
    let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
    let line = rest[rest.startIndex..<end]
    rest = rest[end...].dropFirst()
    return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
  }

  private static func isFold(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }
}
