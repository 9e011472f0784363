import CJSON

/// Locates the fault in a document that the parser rejected.
///
/// simdjson reports only the kind of fault. Its tokens, read in order, show where the structure
/// breaks. Parsing a single string, number or literal shows whether it is invalid.
struct JSONDiagnosis {
  /// The kind of fault that simdjson reports.
  let status: CJSONStatus
  let bytes: UnsafeRawBufferPointer
  let maximumDepth: Int
  /// The start of each token; empty if the fault was found before tokenizing.
  let tokens: [UInt32]

  /// Returns the error to report.
  ///
  /// - Parameter accepts: returns whether the bytes of a single token are a valid document.
  func error(accepts: (UnsafeRawBufferPointer) -> Bool) -> JSONError {
    if bytes.starts(with: [0xef, 0xbb, 0xbf]) {
      return located("the text begins with a byte order mark, which JSON does not have", at: 0)
    }
    switch status {
    case .accepted: return JSONError("this is not JSON")
    case .outOfMemory: return JSONError("there is not enough memory to read the text")
    case .tooLong: return JSONError("the text is too long")
    case .empty:
      return JSONError(bytes.isEmpty ? "the text is empty" : "the text has only white space")
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

  /// The fault in or around strings, found by scanning them.
  private var stringFault: JSONError {
    var start: Int?
    var index = 0
    while index < bytes.count {
      switch (start, bytes[index]) {
      case (nil, UInt8(ascii: "\"")): start = index
      case (nil, UInt8(ascii: "\\")):
        return located("a backslash is allowed only in a string", at: index)
      case (_?, UInt8(ascii: "\"")): start = nil
      case (_?, UInt8(ascii: "\\"))
      where bytes[index...].dropFirst().first.map(affectsStringEnd) == true:
        index += 1
      case (_?, 0..<0x20):
        return located("a control character in a string has to be escaped", at: index)
      default: break
      }
      index += 1
    }
    return located("the string that begins here is not closed", at: start)
  }

  /// Returns whether an escape of this byte affects where the string ends.
  private func affectsStringEnd(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  /// Returns the first fault in the order of tokens, or in one of them; nil if none is found.
  private func tokenFault(_ accepts: (UnsafeRawBufferPointer) -> Bool) -> JSONError? {
    var grammar = JSONGrammar(maximumDepth: maximumDepth)
    for (index, offset) in tokens.enumerated() {
      let start = Int(offset)
      if let reason = grammar.readToken(startingWith: bytes[start]) {
        return located(reason, at: start)
      }
      guard let reason = scalarFault(startingWith: bytes[start]) else { continue }
      let end = index + 1 < tokens.count ? Int(tokens[index + 1]) : bytes.count
      let token = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
      if !accepts(token) { return located(reason, at: start) }
    }
    return grammar.faultOfEnd.map { located($0, at: bytes.count) }
  }

  /// Returns the fault of a token that begins with this byte, on the assumption that it is the
  /// invalid token; nil if the parser's status excludes that.
  private func scalarFault(startingWith byte: UInt8) -> String? {
    switch (status, byte) {
    case (.badString, UInt8(ascii: "\"")):
      "this string has an escape that JSON does not have, or half a surrogate pair"
    case (.badLiteral, UInt8(ascii: "a")...UInt8(ascii: "z")):
      "expected true, false or null"
    case (.badNumber, UInt8(ascii: "0")...UInt8(ascii: "9")), (.badNumber, UInt8(ascii: "-")):
      "this is not a valid JSON number, or it is too large"
    default: nil
    }
  }

  /// Returns the error for a fault at an offset; the error has no position if the offset is nil.
  private func located(_ reason: String, at offset: Int?) -> JSONError {
    guard let offset else { return JSONError(reason) }
    let preceding = bytes.prefix(offset)
    let lineStart = preceding.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    let line = preceding.count { $0 == UInt8(ascii: "\n") } + 1
    let column = preceding[lineStart...].count { $0 & 0xc0 != 0x80 } + 1
    return JSONError(reason, offset: offset, line: line, column: column)
  }
}

/// A key that occurs twice in an object, with its path from the root.
struct DuplicateKeyError: Error {
  enum Step {
    case key(String)
    case index(Int)
  }

  /// The key, and the members and elements that enclose it, innermost first.
  private var steps: [Step]

  init(key: String) {
    steps = [.key(key)]
  }

  /// Returns the key with its path extended by the enclosing member or element.
  func inside(_ step: Step) -> DuplicateKeyError {
    var outer = self
    outer.steps.append(step)
    return outer
  }

  /// The path from the root, like `data.items[2].id` or `data["a b"]`.
  var path: String {
    var path = ""
    for step in steps.reversed() {
      switch step {
      case .index(let index): path += "[\(index)]"
      case .key(let key) where Self.isPlain(key): path += (path.isEmpty ? "" : ".") + key
      case .key(let key): path += "[\(JSONValue.string(Self.shortened(key)))]"
      }
    }
    return path
  }

  /// The maximum number of scalars of a key that a message shows.
  private static let shownMax = 60

  private static func isPlain(_ key: String) -> Bool {
    !key.isEmpty && key.utf8.count <= shownMax
      && key.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
  }

  /// The key or its beginning, so that messages stay short.
  private static func shortened(_ key: String) -> String {
    let beginning = key.unicodeScalars.prefix(shownMax)
    return beginning.endIndex == key.endIndex ? key : String(beginning) + "…"
  }
}
