import Access
import CivilTime
import JSON
import Reminders

/// A kind of value in request bodies: its schema, and how a value of the kind is read.
struct InputKind<Content>: Sendable {
  let schema: Schema
  /// Reads the value at a path. The value is nil if the member is missing. Throws a problem that
  /// names the expected kind.
  let read: @Sendable (JSONValue?, _ path: String) throws(Problem) -> Content

  /// - Parameters:
  ///   - expectation: the expected kind, to follow "must be".
  ///   - convert: converts a value; returns nil if the value is not of the kind.
  init(
    _ schema: Schema, _ expectation: String,
    _ convert: @escaping @Sendable (JSONValue) -> Content?
  ) {
    self.schema = schema
    read = { (value, path) throws(Problem) in
      if let content = value.flatMap(convert) { return content }
      throw Problem(
        .invalidBody, "\(path) must be \(expectation); it is \(value?.shown ?? "missing")",
        path: path)
    }
  }

  /// A list of values of another kind.
  ///
  /// - Parameter items: the name of the items, to follow "must be a list of".
  static func list<Item>(
    _ item: InputKind<Item>, of items: String, atMost most: Int? = nil
  ) -> Self where Content == [Item] {
    let limit = most.map { "at most \($0) " } ?? ""
    let list = InputKind<[JSONValue]>(
      .list(item.schema, atMost: most), "a list of \(limit)\(items)"
    ) { value in
      value.arrayValue.flatMap { $0.count <= most ?? .max ? $0 : nil }
    }
    return Self(schema: list.schema) { (value, path) throws(Problem) in
      var content: [Item] = []
      for (index, value) in try list.read(value, path).enumerated() {
        content.append(try item.read(value, "\(path)[\(index)]"))
      }
      return content
    }
  }

  private init(
    schema: Schema, read: @escaping @Sendable (JSONValue?, String) throws(Problem) -> Content
  ) {
    (self.schema, self.read) = (schema, read)
  }
}

extension InputKind where Content == JSONValue {
  /// An event, which `EventReader` parses.
  static var event: Self { InputKind(.object, "an event", \.self) }
}

extension InputKind where Content == String {
  static var text: Self { InputKind(.text, "a text", \.stringValue) }

  /// - Parameter length: the allowed length in Unicode scalars, as JSON schemas count.
  static func text(_ length: ClosedRange<Int>) -> Self {
    text(
      .text(length), "a text of \(length.lowerBound) to \(length.upperBound) characters"
    ) { length.contains($0.unicodeScalars.count) }
  }

  static func text(
    _ schema: Schema, _ expectation: String, where isValid: @escaping @Sendable (String) -> Bool
  ) -> Self {
    InputKind(schema, expectation) { $0.stringValue.flatMap { isValid($0) ? $0 : nil } }
  }

  static var recipient: Self {
    text(.recipient, "a recipient's id", where: AccessScope.isRecipient)
  }
}

extension InputKind where Content == Int {
  static func number(_ range: ClosedRange<Int>) -> Self {
    let (lowest, highest) = (range.lowerBound, range.upperBound)
    return InputKind(
      .integer(Int64(lowest)...Int64(highest)), "a number from \(lowest) to \(highest)"
    ) { value in
      value.integerValue.flatMap { Int(exactly: $0) }.flatMap { range.contains($0) ? $0 : nil }
    }
  }
}

extension InputKind where Content: RawRepresentable<String> & CaseIterable & SendableMetatype {
  /// One of the words of an enumeration.
  static var word: Self {
    let words = Content.allCases.map(\.rawValue)
    return InputKind(.word(words), "one of \(words.joined(separator: ", "))") {
      $0.stringValue.flatMap { Content(rawValue: $0) }
    }
  }
}

extension InputKind where Content == Channel {
  static var channel: Self {
    let names = Channel.allCases.map(\.name)
    return InputKind(.word(names), "one of \(names.joined(separator: ", "))") {
      $0.stringValue.flatMap { Channel(name: $0) }
    }
  }
}

extension InputKind where Content == Instant {
  static var instant: Self {
    InputKind(.instant, "an instant, such as 2026-03-02T21:00:00Z") {
      $0.stringValue.flatMap { Instant($0) }
    }
  }
}

extension InputKind where Content == TimeSpan {
  static var span: Self {
    InputKind(.duration, "a length of time, such as 30m or 12h") {
      $0.stringValue.flatMap { TimeSpan($0) }
    }
  }
}

extension InputKind where Content == AccessScope {
  /// The scope of a token. The grant of the scope `report` is in other members of the body.
  static var scope: Self { scope(["admin", "support", "observer", "report"]) }

  /// The scope of a console session. The scope `report` is not allowed, because it can read
  /// nothing.
  static var sessionScope: Self { scope(["admin", "support", "observer"]) }

  private static func scope(_ words: [String]) -> Self {
    let list = words.map { "\"\($0)\"" }.joined(separator: ", ")
    return InputKind(
      Schema(
        type: "string",
        [
          "pattern": .string("^(\(words.joined(separator: "|"))|recipient:.+)$"),
          "examples": ["support"],
        ]),
      "\(list), or \"recipient:\" and a recipient's id"
    ) { value in
      let scope = value.stringValue.flatMap { AccessScope($0) }
      return scope.flatMap { words.contains($0.text) || $0.recipient != nil ? $0 : nil }
    }
  }
}

extension JSONValue {
  /// The value for error messages: its text if it is a string or an integer, otherwise its type.
  fileprivate var shown: String {
    switch self {
    case .string(let text): "\"\(text.shortened)\""
    case .integer(let number): "\(number)"
    default: kind
    }
  }
}
