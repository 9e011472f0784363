import CJSON

/// Finds the place of the fault in a document that the parser refused.
///
/// simdjson tells only the kind of the fault. Its tokens tell the rest: read in order, they show
/// where the structure breaks, and a string, number or literal read alone shows whether it is the
/// bad one.
struct JSONDiagnosis {
  let status: CJSONStatus
  let bytes: UnsafeRawBufferPointer
  let maximumDepth: Int
  /// Where each token starts; empty when the fault was found before there were tokens.
  let tokens: [UInt32]

  /// The error to report; `accepts` tells whether a part of the bytes is a document by itself.
  func error(accepts: (UnsafeRawBufferPointer) -> Bool) -> JSONError {
    if bytes.starts(with: [0xef, 0xbb, 0xbf]) {
      return located("the text begins with a byte order mark, which JSON does not have", at: 0)
    }
    switch status {
    case .accepted: return JSONError("this is not JSON")
    case .outOfMemory: return JSONError("there is not enough memory to read the text")
    case .tooLong: return JSONError("the text is too long")
    case .empty: return JSONError(bytes.isEmpty ? "the text is empty" : "the text is only space")
    case .invalidUTF8: return located("this is not valid UTF-8", at: invalidUTF8Offset)
    case .controlCharacter, .unclosedString: return stringFault
    case .tooDeep, .badString, .badLiteral, .badNumber, .badStructure:
      return tokenFault(accepts) ?? JSONError("this is not JSON")
    }
  }

  private var invalidUTF8Offset: Int? {
    do {
      _ = try UTF8Span(validating: bytes.bindMemory(to: UInt8.self).span)
      return nil
    } catch {
      return error.byteOffsets.lowerBound
    }
  }

  /// A fault that is found by telling what is inside strings and what outside.
  private var stringFault: JSONError {
    var start: Int?
    var index = 0
    while index < bytes.count {
      switch (start, bytes[index]) {
      case (nil, UInt8(ascii: "\"")): start = index
      case (nil, UInt8(ascii: "\\")): return located("a backslash outside a string", at: index)
      case (_?, UInt8(ascii: "\"")): start = nil
      case (_?, UInt8(ascii: "\\")) where bytes[index...].dropFirst().first.map(isQuoted) == true:
        index += 1
      case (_?, 0..<0x20):
        return located("a control character in a string has to be escaped", at: index)
      default: break
      }
      index += 1
    }
    return located("the string that begins here is not closed", at: start)
  }

  /// Whether a backslash before the byte changes where the string ends.
  private func isQuoted(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private func tokenFault(_ accepts: (UnsafeRawBufferPointer) -> Bool) -> JSONError? {
    var grammar = JSONGrammar(maximumDepth: maximumDepth)
    for (index, offset) in tokens.enumerated() {
      let start = Int(offset)
      if let reason = grammar.refusal(of: bytes[start]) { return located(reason, at: start) }
      guard let reason = scalarFault(startingWith: bytes[start]) else { continue }
      let end = index + 1 < tokens.count ? Int(tokens[index + 1]) : bytes.count
      let part = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
      if !accepts(part) { return located(reason, at: start) }
    }
    return grammar.refusalOfEnd.map { located($0, at: bytes.count) }
  }

  /// What would be wrong with a token if it were the bad one; nil when it cannot be.
  private func scalarFault(startingWith byte: UInt8) -> String? {
    switch (status, byte) {
    case (.badString, UInt8(ascii: "\"")):
      "this string has an escape that JSON does not have, or half a surrogate pair"
    case (.badLiteral, UInt8(ascii: "a")...UInt8(ascii: "z")):
      "expected true, false or null"
    case (.badNumber, UInt8(ascii: "0")...UInt8(ascii: "9")), (.badNumber, UInt8(ascii: "-")):
      "this number is not written as JSON has them, or is too large"
    default: nil
    }
  }

  private func located(_ reason: String, at offset: Int?) -> JSONError {
    guard let offset else { return JSONError(reason) }
    let before = bytes.prefix(offset)
    let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    let line = before.count { $0 == UInt8(ascii: "\n") } + 1
    let column = before[lineStart...].count { $0 & 0xc0 != 0x80 } + 1
    return JSONError(reason, offset: offset, line: line, column: column)
  }
}
