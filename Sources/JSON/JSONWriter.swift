/// Writes JSON text into `bytes`, and inserts commas.
///
/// The caller is responsible for the structure: within an object a key before each value, and an
/// end for each begin. For speed, the writer does not check the structure. Non-ASCII strings stay
/// UTF-8.
package struct JSONWriter: Sendable {
  /// The text so far.
  package private(set) var bytes: [UInt8]
  /// Whether the next value needs a comma before it.
  private var needsComma = false

  package init(reservingCapacity capacity: Int = 0) {
    bytes = []
    bytes.reserveCapacity(capacity)
  }

  /// Removes the text, and keeps its memory for the next one.
  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    needsComma = false
  }

  /// Returns the text so far and removes it from the writer. The document continues with the next
  /// value.
  package mutating func removeBytes() -> [UInt8] {
    defer { bytes.removeAll(keepingCapacity: true) }
    return bytes
  }

  package mutating func beginObject() { begin(UInt8(ascii: "{")) }
  package mutating func endObject() { end(UInt8(ascii: "}")) }
  package mutating func beginArray() { begin(UInt8(ascii: "[")) }
  package mutating func endArray() { end(UInt8(ascii: "]")) }

  /// Ends a document with a line break.
  package mutating func endLine() {
    bytes.append(UInt8(ascii: "\n"))
    needsComma = false
  }

  package mutating func key(_ key: String) {
    key.withUTF8Bytes { write(string: $0, isKey: true) }
  }

  /// Writes a constant key: ASCII that needs no escape. Faster than a `String`.
  package mutating func key(constant key: StaticString) {
    write(atMost: key.utf8CodeUnitCount + 4) { pen in
      pen.put(UInt8(ascii: "\""))
      pen.put(UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount))
      pen.put(UInt8(ascii: "\""))
      pen.put(UInt8(ascii: ":"))
    }
    needsComma = false
  }

  package mutating func null() { raw("null") }

  package mutating func value(_ value: Bool) { raw(value ? "true" : "false") }

  package mutating func value(_ value: String) {
    value.withUTF8Bytes { write(string: $0, isKey: false) }
  }

  package mutating func value(_ value: Int64) {
    write(atMost: 21) { $0.put(value) }
  }

  package mutating func value(_ value: Int) { self.value(Int64(value)) }

  /// Writes a number in the fewest digits that parse to the same value; null for infinity and NaN,
  /// which JSON lacks.
  package mutating func value(_ value: Double) {
    guard value.isFinite else { return null() }
    value.description.withUTF8Bytes { raw(text: $0) }
  }

  /// Writes a value that is JSON text already.
  package mutating func raw(_ json: StaticString) {
    raw(text: UnsafeBufferPointer(start: json.utf8Start, count: json.utf8CodeUnitCount))
  }

  /// Writes a value that is JSON text already.
  package mutating func raw(_ json: [UInt8]) {
    json.withUnsafeBufferPointer { raw(text: $0) }
  }

  private mutating func raw(text: UnsafeBufferPointer<UInt8>) {
    write(atMost: text.count + 1) { $0.put(text) }
  }
}

extension JSONWriter {
  private mutating func begin(_ bracket: UInt8) {
    write(atMost: 2) { $0.put(bracket) }
    needsComma = false
  }

  private mutating func end(_ bracket: UInt8) {
    bytes.append(bracket)
    needsComma = true
  }

  /// Writes a comma if needed, then the output of `body`. Together they have at most `countMax`
  /// bytes.
  @inline(__always)
  private mutating func write(atMost countMax: Int, _ body: (inout JSONPen) -> Void) {
    let needsComma = needsComma
    bytes.append(addingCapacity: countMax) { output in
      output.withUnsafeMutableBufferPointer { buffer, count in
        guard let start = buffer.baseAddress else { return }
        var pen = JSONPen(at: start)
        if needsComma { pen.put(UInt8(ascii: ",")) }
        body(&pen)
        count = pen.count(from: start)
        assert(count <= countMax)
      }
    }
    self.needsComma = true
  }

  private mutating func write(string text: UnsafeBufferPointer<UInt8>, isKey: Bool) {
    let escapes = text.escapeCountInJSON
    write(atMost: text.count + escapes * JSONPen.longestEscape + 4) { pen in
      pen.put(UInt8(ascii: "\""))
      if escapes == 0 { pen.put(text) } else { pen.put(escaping: text) }
      pen.put(UInt8(ascii: "\""))
      if isKey { pen.put(UInt8(ascii: ":")) }
    }
    if isKey { needsComma = false }
  }
}
