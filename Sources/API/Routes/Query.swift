import CivilTime
import JSON
import Reminders

/// Parses the query of a URL.
enum Query {
  /// - Parameter known: the names of the allowed parameters; any other parameter is refused.
  static func parameters(
    in query: String?, known: [String]
  ) throws(Problem) -> [String: String] {
    var parameters: [String: String] = [:]
    for part in (query ?? "").split(separator: "&") {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = try decoded(pair[0])
      guard known.contains(name) else { throw unknown(name, known) }
      let value = try decoded(pair.count > 1 ? pair[1] : "")
      guard parameters.updateValue(value, forKey: name) == nil else {
        throw Problem(.invalidParameter, "the parameter \"\(name)\" is given twice", path: name)
      }
    }
    return parameters
  }

  private static func decoded(_ text: Substring) throws(Problem) -> String {
    if let decoded = PercentEncoding.decoded(text) { return decoded }
    throw Problem(
      .invalidParameter, "\"\(String(text).shortened)\" in the query is not percent-encoded UTF-8")
  }

  private static func unknown(_ name: String, _ known: [String]) -> Problem {
    let list = known.map { "\"\($0)\"" }.joined(separator: ", ")
    let advice = known.isEmpty ? "there are no parameters" : "use \(list)"
    return Problem(
      .invalidParameter, "the parameter \"\(name.shortened)\" is not known; \(advice)", path: name)
  }
}

/// Reads the query's parameters, and validates each against its schema.
extension Call {
  func number(_ name: String, default defaultNumber: Int) throws(Problem) -> Int {
    try value(name) { Int($0) } ?? defaultNumber
  }

  func enumValue<Value: RawRepresentable<String>>(_ name: String) throws(Problem) -> Value? {
    try value(name) { Value(rawValue: $0) }
  }

  /// The requested language; nil if the parameter is missing.
  func language() throws(Problem) -> LanguageTag? {
    guard let text = parameters["language"] else { return nil }
    guard let language = LanguageTag(text) else {
      throw Problem(
        .invalidParameter,
        "language must be a tag such as de or pt-BR; it is \"\(text.shortened)\"", path: "language")
    }
    return language
  }

  func isSet(_ name: String) throws(Problem) -> Bool { try value(name) { $0 == "true" } ?? false }

  func instant(_ name: String) throws(Problem) -> Instant? { try value(name) { Instant($0) } }

  /// Returns the parameter as an instant; `convert` converts a parameter that is a local date.
  func instantOrDate(
    _ name: String, convert: (LocalDate) -> Instant
  ) throws(Problem) -> Instant? {
    try value(name) { Instant($0) ?? LocalDate($0).map(convert) }
  }

  func date(_ name: String) throws(Problem) -> LocalDate? { try value(name) { LocalDate($0) } }

  func channel() throws(Problem) -> Reminders.Channel? {
    try value("channel") { Channel(name: $0) }
  }

  /// The maximum number of items on a page (rule H3).
  func limit() throws(Problem) -> Int { try number("limit", default: 100) }

  /// Returns a parameter as `parse` converts it; nil if the parameter is missing. Throws if the
  /// text does not match the parameter's schema.
  func value<Value>(
    _ name: String, _ parse: (String) -> Value?
  ) throws(Problem) -> Value? {
    guard let text = parameters[name] else { return nil }
    let schema = allowedParameters.first { $0.name == name }?.schema
    guard let expectation = schema?.expectation(unmetBy: text) else { return parse(text) }
    throw Problem(
      .invalidParameter, "\(name) must be \(expectation); it is \"\(text.shortened)\"", path: name)
  }
}

extension Schema {
  /// Describes the valid values of a parameter; returns nil if the text is valid.
  fileprivate func expectation(unmetBy text: String) -> String? {
    if let words = json["enum"]?.arrayValue?.compactMap(\.stringValue) {
      return words.contains(text) ? nil : "one of \(words.joined(separator: ", "))"
    }
    if let lowest = json["minimum"]?.integerValue, let highest = json["maximum"]?.integerValue {
      let isWithin = Int64(text).map { (lowest...highest).contains($0) } ?? false
      return isWithin ? nil : "a number from \(lowest) to \(highest)"
    }
    if let alternatives = json["anyOf"]?.arrayValue?.compactMap(\.objectValue).map(Schema.init) {
      let expectations = alternatives.compactMap { $0.expectation(unmetBy: text) }
      return expectations.count < alternatives.count ? nil : expectations.joined(separator: " or ")
    }
    return switch (json["type"], json["format"]) {
    case ("boolean", _): ["true", "false"].contains(text) ? nil : "true or false"
    case (_, "date-time"): Instant(text) == nil ? "a time such as 2026-03-02T21:00:00Z" : nil
    case (_, "date"): LocalDate(text) == nil ? "a date such as 2026-03-02" : nil
    default: nil
    }
  }
}

/// Percent-encoding in URLs (RFC 3986, section 2.1).
enum PercentEncoding {
  /// Decodes a text; nil if a percent sign lacks two hexadecimal digits, or if the bytes are not
  /// UTF-8.
  static func decoded(_ text: Substring) -> String? {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst(), let low = rest.popFirst(),
        let decodedByte = Self.byte(high, low)
      else { return nil }
      bytes.append(decodedByte)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// The byte of two hexadecimal digits; nil for other characters.
  static func byte(_ high: UInt8, _ low: UInt8) -> UInt8? {
    guard let high = digit(high), let low = digit(low) else { return nil }
    return high << 4 | low
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

extension String {
  /// The text for error messages: the first 60 scalars, and "…" if there are more.
  var shortened: String {
    let beginning = unicodeScalars.prefix(60)
    return beginning.endIndex == endIndex ? self : String(beginning) + "…"
  }
}
