import CJSON

/// Reads JSON (RFC 8259) with full validation: structure, UTF-8, numbers and escapes as the RFC
/// has them, and each key of an object once.
///
/// An integer beyond Int64 that fits 64 bits without a sign becomes a `number`; a still larger one
/// is an error, as is a number beyond what a Double holds.
///
/// Keeps its buffers from one document to the next, so one parser should read many; they take
/// some 20 times the longest document so far. For one thread at a time; it is not Sendable.
package final class JSONParser {
  /// The longest document accepted, in bytes.
  package let maximumBytes: Int
  /// How deep arrays and objects may be nested; an empty one does not count as a level.
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

  /// The document in `bytes`. O(count), but O(n log n) in the members of a large object.
  package func parse(_ bytes: UnsafeRawBufferPointer) throws(JSONError) -> JSONValue {
    guard bytes.count <= maximumBytes else {
      throw JSONError("the text is \(bytes.count) bytes long; at most \(maximumBytes) are allowed")
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

  /// Reads a single document; use an instance to read many.
  package static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
    try JSONParser().parse(bytes)
  }

  /// Reads a single document; use an instance to read many.
  package static func parse(_ text: String) throws(JSONError) -> JSONValue {
    try JSONParser().parse(text)
  }

  private func scan(_ bytes: UnsafeRawBufferPointer, _ tape: inout CJSONTape) -> CJSONStatus {
    guard let handle else { return .outOfMemory }
    return cjson_parser_parse(handle, bytes.baseAddress, bytes.count, &tape)
  }

  /// Finds where and why the document was refused; only this costs more than parsing.
  private func explain(_ status: CJSONStatus, _ bytes: UnsafeRawBufferPointer) -> JSONError {
    let tokens = handle.map { cjson_parser_tokens($0) } ?? CJSONTokens()
    let diagnosis = JSONDiagnosis(
      status: status, bytes: bytes, maximumDepth: maximumDepth,
      tokens: Array(UnsafeBufferPointer(start: tokens.offsets, count: tokens.count)))
    return diagnosis.error { part in
      var tape = CJSONTape()
      return scan(part, &tape) == .accepted
    }
  }
}

/// Why a text is not acceptable JSON, and where.
package struct JSONError: Error, Hashable, Sendable {
  /// What is wrong, without the place.
  package var reason: String
  /// How many bytes come before the place, if it is known.
  package var offset: Int?
  /// The line of the place, from 1.
  package var line: Int?
  /// The column of the place in characters (Unicode scalars), from 1.
  package var column: Int?
  /// The member concerned, like "data.items[2].id", when the place is known as a path only.
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
  /// One readable line: "line 1, column 17: expected a value", "data.id is given twice".
  package var description: String {
    if let line, let column { return "line \(line), column \(column): \(reason)" }
    if let path { return "\(path) \(reason)" }
    return reason
  }
}

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
