import CivilTime
import JSON

/// The members of an event's data, read by name and kind. Unknown members are refused.
struct EventData {
  private let object: JSONObject

  /// - Throws: a refusal for a member that is not among `known`.
  init(_ object: JSONObject, known: [String], of type: String) throws(Refusal) {
    self.object = object
    for member in object.members where !known.contains(member.key) {
      throw Refusal(
        path: "data.\(member.key)",
        "is not known" + hint(member.key, known)
          + "; \(type) carries \(known.isEmpty ? "no data" : known.joined(separator: ", "))")
    }
  }

  /// Returns whether a member is given. Null counts as absent.
  func has(_ name: String) -> Bool { value(name) != nil }

  /// Returns a member's value; nil if the member is absent or null.
  func value(_ name: String) -> JSONValue? {
    guard let value = object[name], !value.isNull else { return nil }
    return value
  }

  /// Reads an identifier or a name without any change: a text of 1 to `limit` bytes without control
  /// characters other than line breaks.
  func text(_ name: String, limit: Int = 256) throws(Refusal) -> String {
    try checked(name, limit) { $0 }
  }

  /// Reads a text for people, with the same limits as `text`. Tabs become spaces, and CR LF becomes
  /// LF.
  func prose(_ name: String, limit: Int) throws(Refusal) -> String {
    try checked(name, limit, \.withPlainSpaces)
  }

  private func checked(
    _ name: String, _ limit: Int, _ normalized: (String) -> String
  ) throws(Refusal) -> String {
    guard let value = value(name) else { throw missing(name) }
    let text = normalized(value.stringValue ?? "")
    guard (1...limit).contains(text.utf8.count),
      !text.hasControlCharacters(allowingLineBreaks: true)
    else {
      throw refusal(name, "must be a text of 1 to \(limit) bytes without control characters")
    }
    return text
  }

  /// Reads a Boolean; false if the member is absent.
  func flag(_ name: String) throws(Refusal) -> Bool {
    guard let value = value(name) else { return false }
    guard case .bool(let isOn) = value else {
      throw refusal(name, "must be true or false; it is \(value.kind)")
    }
    return isOn
  }

  func instant(_ name: String) throws(Refusal) -> Instant {
    guard let value = value(name) else { throw missing(name) }
    guard let instant = value.stringValue.flatMap({ Instant($0) }) else {
      throw refusal(name, "must be a time such as \"2026-03-02T21:00:00Z\" (RFC 3339)")
    }
    return instant
  }

  func date(_ name: String) throws(Refusal) -> LocalDate {
    guard let value = value(name) else { throw missing(name) }
    guard let date = value.stringValue.flatMap({ LocalDate($0) }) else {
      throw refusal(name, "must be a date such as \"2026-03-10\"")
    }
    return date
  }

  func span(_ name: String) throws(Refusal) -> TimeSpan {
    guard let value = value(name) else { throw missing(name) }
    guard let span = value.stringValue.flatMap({ TimeSpan($0) }), span > .zero else {
      throw refusal(name, "must be a duration such as \"PT15M\" or \"15m\"")
    }
    return span
  }

  /// Reads a text that must be one of `words`.
  func word(_ name: String, among words: [String]) throws(Refusal) -> String {
    let text = try text(name)
    guard words.contains(text) else {
      let known = words.joined(separator: ", ")
      throw refusal(name, "is \"\(text)\"" + hint(text, words) + "; known are \(known)")
    }
    return text
  }

  func missing(_ name: String) -> Refusal { refusal(name, "is missing") }

  func refusal(_ name: String, _ reason: String) -> Refusal {
    Refusal(path: "data.\(name)", reason)
  }
}

extension String {
  /// The text with CR LF replaced by LF and tabs by spaces. Editors and forms write CR LF and tabs,
  /// which some channels cannot show.
  var withPlainSpaces: String {
    guard utf8.contains(where: { $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: "\r") }) else {
      return self
    }
    return replacing("\r\n", with: "\n").replacing("\t", with: " ")
  }

  /// Whether the text contains a character of the Unicode category Cc.
  var hasControlCharacters: Bool { hasControlCharacters(allowingLineBreaks: false) }

  /// Returns whether the text contains a character of the Unicode category Cc, except LF if
  /// `allowingLineBreaks`. It compares only bytes, for speed, because every text of every event is
  /// checked. Beyond ASCII the category is U+0080 to U+009F, whose first byte is always C2.
  func hasControlCharacters(allowingLineBreaks: Bool) -> Bool {
    var previous: UInt8 = 0
    for byte in utf8 {
      let isLineBreak = allowingLineBreaks && byte == UInt8(ascii: "\n")
      if byte < 0x20, !isLineBreak { return true }
      if byte == 0x7f || previous == 0xc2 && byte < 0xa0 { return true }
      previous = byte
    }
    return false
  }
}
