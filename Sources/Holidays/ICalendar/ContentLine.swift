/// A property line, or the BEGIN or END of a component: `NAME;PARAMETER=value:value`.
package struct ContentLine {
  /// The property's name, in capitals.
  package let name: String
  /// The parameters, with names in capitals and values without quotation marks. If a parameter has
  /// several values, only the first is included.
  package let parameters: [(name: String, value: String)]
  /// The bytes after the colon.
  package let value: ArraySlice<UInt8>
  /// The number of the property's first line in the file, from 1.
  package let number: Int

  package init(_ line: UnfoldedLine) throws(HolidaySyntaxError) {
    var scanner = ContentLineScanner(line.bytes)
    name = try scanner.readName()
    var parameters: [(name: String, value: String)] = []
    while let parameter = try scanner.readParameter() { parameters.append(parameter) }
    self.parameters = parameters
    value = try scanner.readValue()
    number = line.number
  }

  /// Returns the value of the first parameter with this name; nil if there is none.
  package func parameter(_ name: String) -> String? {
    parameters.first { $0.name == name }?.value
  }

  /// The value without surrounding spaces and tabs.
  package var trimmedValue: ArraySlice<UInt8> {
    let isSpace: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    let trimmed = value.drop(while: isSpace)
    guard let last = trimmed.lastIndex(where: { !isSpace($0) }) else { return [] }
    return trimmed[...last]
  }

  /// The text of ``trimmedValue``.
  package var trimmedText: String { String(decoding: trimmedValue, as: UTF8.self) }

  /// The values of a list: ``trimmedValue``, split at commas. It is not for texts, which may
  /// contain escaped commas.
  package var listValues: [ArraySlice<UInt8>] {
    trimmedValue.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
  }

  /// The texts of ``listValues``.
  package var listTexts: [String] { listValues.map { String(decoding: $0, as: UTF8.self) } }
}

/// A content line, unfolded but not parsed.
package struct UnfoldedLine {
  /// The number of the content line's first line in the file, from 1.
  package let number: Int
  /// The bytes, without the end of the line.
  package let bytes: ArraySlice<UInt8>
}

/// The unfolded content lines of an iCalendar file (RFC 5545, section 3.1): a line that begins with
/// a space or a tab continues the previous one. The bytes are joined, because a fold may split a
/// character. Lines end with LF or CRLF; empty lines are skipped.
package struct UnfoldedLines: Sequence, IteratorProtocol {
  private var rest: ArraySlice<UInt8>
  /// The number of the last line that was read.
  private var number = 0

  package init(_ bytes: [UInt8]) {
    let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let hasMark = bytes.starts(with: byteOrderMark)
    rest = hasMark ? bytes.dropFirst(byteOrderMark.count) : bytes[...]
  }

  package mutating func next() -> UnfoldedLine? {
    while !rest.isEmpty {
      var line = readPhysicalLine()
      let firstNumber = number
      while let first = rest.first, Self.isFold(first) {
        line += readPhysicalLine().dropFirst()
      }
      if !line.isEmpty { return UnfoldedLine(number: firstNumber, bytes: line) }
    }
    return nil
  }

  private mutating func readPhysicalLine() -> ArraySlice<UInt8> {
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
