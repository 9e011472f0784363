import CJSON

/// Parses JSON (RFC 8259) with full validation: structure, UTF-8, numbers, escapes, and unique keys
/// of an object.
///
/// An integer beyond Int64 becomes a `number` if it fits UInt64; otherwise it is an error. A number
/// beyond the range of Double is an error, too.
///
/// A parser reuses its buffers, so one parser should read many documents. The buffers take about 20
/// times the size of the longest document. Not Sendable: use it on one thread at a time.
package final class JSONParser {
  /// The maximum length of a document, in bytes.
  package let maximumBytes: Int
  /// The maximum depth of nested arrays and objects. An empty array or object adds no depth.
  package let maximumDepth: Int
  private let handle: OpaquePointer?

  package init(maximumBytes: Int = 1 << 20, maximumDepth: Int = 64) {
    self.maximumBytes = maximumBytes
    self.maximumDepth = maximumDepth
    handle = cjson_parser_create(maximumDepth)
  }

  deinit {
    cjson_parser_destroy(handle)
  }

  /// Parses the document in `bytes`. The cost is linear in the number of bytes, except that a large
  /// object with n members costs O(n log n).
  package func parse(_ bytes: UnsafeRawBufferPointer) throws(JSONError) -> JSONValue {
    guard bytes.count <= maximumBytes else {
      throw JSONError("the text has \(bytes.count) bytes; at most \(maximumBytes) are allowed")
    }
    var tape = CJSONTape()
    let status = scan(bytes, &tape)
    guard status == .accepted, let words = tape.words, let strings = tape.strings else {
      throw explain(status, bytes)
    }
    var reader = JSONTapeReader(words: words, strings: strings)
    do {
      return try reader.document()
    } catch {
      throw JSONError("is given twice", path: error.path)
    }
  }

  package func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(JSONError) in try parse(bytes) }
    }
    return try result.get()
  }

  package func parse(_ text: String) throws(JSONError) -> JSONValue {
    let result = text.withUTF8Bytes { bytes in
      Result { () throws(JSONError) in try parse(UnsafeRawBufferPointer(bytes)) }
    }
    return try result.get()
  }

  /// Parses a single document. To parse many documents, use one parser.
  package static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
    try JSONParser().parse(bytes)
  }

  /// Parses a single document. To parse many documents, use one parser.
  package static func parse(_ text: String) throws(JSONError) -> JSONValue {
    try JSONParser().parse(text)
  }

  private func scan(_ bytes: UnsafeRawBufferPointer, _ tape: inout CJSONTape) -> CJSONStatus {
    guard let handle else { return .outOfMemory }
    return cjson_parser_parse(handle, bytes.baseAddress, bytes.count, &tape)
  }

  /// Finds the position and reason of a rejection. This is slower than parsing, but is done only
  /// for invalid documents.
  private func explain(_ status: CJSONStatus, _ bytes: UnsafeRawBufferPointer) -> JSONError {
    let tokens = handle.map { cjson_parser_tokens($0) } ?? CJSONTokens()
    let diagnosis = JSONDiagnosis(
      status: status, bytes: bytes, maximumDepth: maximumDepth,
      tokens: Array(UnsafeBufferPointer(start: tokens.offsets, count: tokens.count)))
    return diagnosis.error { token in
      var tape = CJSONTape()
      return scan(token, &tape) == .accepted
    }
  }
}

/// The reason why a text is not acceptable JSON, and the position of the fault.
package struct JSONError: Error, Hashable, Sendable {
  /// The fault, without its position.
  package var reason: String
  /// The number of bytes before the fault, if known.
  package var offset: Int?
  /// The line of the fault, from 1.
  package var line: Int?
  /// The column of the fault in Unicode scalars, from 1.
  package var column: Int?
  /// The path of the faulty member, like "data.items[2].id", if only the path is known.
  package var path: String?

  package init(
    _ reason: String, offset: Int? = nil, line: Int? = nil, column: Int? = nil,
    path: String? = nil
  ) {
    self.reason = reason
    self.offset = offset
    self.line = line
    self.column = column
    self.path = path
  }
}

extension JSONError: CustomStringConvertible {
  /// One line of text: "line 1, column 17: expected a value", "data.id is given twice".
  package var description: String {
    if let line, let column { return "line \(line), column \(column): \(reason)" }
    if let path { return "\(path) \(reason)" }
    return reason
  }
}

/// The lines of NDJSON text, except blank lines.
///
/// A line ends with "\n" or "\r\n"; the end of the text also ends the last line.
package struct JSONLines: Sequence, IteratorProtocol {
  package struct Line: Hashable, Sendable {
    /// The line number in the text, from 1; blank lines count.
    package var number: Int
    /// The range of the line's bytes in the text, without the line break.
    package var range: Range<Int>
  }

  private let bytes: UnsafeRawBufferPointer
  private var start = 0
  private var number = 0

  /// `bytes` must stay valid during the iteration.
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
