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
