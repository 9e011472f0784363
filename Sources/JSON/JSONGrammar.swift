import CJSON

/// Checks the order of a JSON text's tokens, and describes the fault of an unexpected token.
struct JSONGrammar {
  private enum Expectation {
    case value
    case valueOrEnd
    case key
    case keyOrEnd
    case colon
    case commaOrEnd
    /// The end of an array or object that is one level too deep, and may only be empty.
    case end
    case nothing
  }

  private let maximumDepth: Int
  private var expectation = Expectation.value
  /// The pending closing brackets, outermost first.
  private var closings: [UInt8] = []

  init(maximumDepth: Int) {
    self.maximumDepth = maximumDepth
  }

  /// Reads the next token, of which the first byte is enough. Returns nil if the grammar allows the
  /// token here; otherwise the fault.
  mutating func readToken(startingWith token: UInt8) -> String? {
    switch token {
    case UInt8(ascii: "["): open(UInt8(ascii: "]"), then: .valueOrEnd)
    case UInt8(ascii: "{"): open(UInt8(ascii: "}"), then: .keyOrEnd)
    case UInt8(ascii: "]"), UInt8(ascii: "}"): close(token)
    case UInt8(ascii: ":"): advance(when: expectation == .colon, then: .value)
    case UInt8(ascii: ","): advance(when: expectsComma, then: inObject ? .key : .value)
    case UInt8(ascii: "\""): expectsKey ? advance(when: true, then: .colon) : acceptValue()
    case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "-"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      acceptValue()
    default: fault
    }
  }

  /// The fault if the text ends here; nil if it may end here.
  var faultOfEnd: String? {
    expectation == .nothing ? nil : "\(fault), but the text ends"
  }

  private var inObject: Bool { closings.last == UInt8(ascii: "}") }
  private var expectsValue: Bool { expectation == .value || expectation == .valueOrEnd }
  private var expectsKey: Bool { expectation == .key || expectation == .keyOrEnd }
  private var expectsComma: Bool { expectation == .commaOrEnd }

  private var expectsEnd: Bool {
    switch expectation {
    case .valueOrEnd, .keyOrEnd, .commaOrEnd, .end: true
    case .value, .key, .colon, .nothing: false
    }
  }

  /// The fault of any token that does not meet the expectation.
  private var fault: String {
    switch expectation {
    case .value: "expected a value"
    case .valueOrEnd: "expected a value or ]"
    case .key: "expected a key in quotes"
    case .keyOrEnd: "expected a key in quotes or }"
    case .colon: "expected a colon"
    case .commaOrEnd: inObject ? "expected a comma or }" : "expected a comma or ]"
    case .end: "nested deeper than \(maximumDepth) levels"
    case .nothing: "expected the end of the text"
    }
  }

  private mutating func advance(when allowed: Bool, then next: Expectation) -> String? {
    guard allowed else { return fault }
    expectation = next
    return nil
  }

  private mutating func acceptValue() -> String? {
    advance(when: expectsValue, then: closings.isEmpty ? .nothing : .commaOrEnd)
  }

  private mutating func open(_ closing: UInt8, then next: Expectation) -> String? {
    guard expectsValue else { return fault }
    closings.append(closing)
    expectation = closings.count <= maximumDepth ? next : .end
    return nil
  }

  private mutating func close(_ bracket: UInt8) -> String? {
    guard expectsEnd, closings.last == bracket else { return fault }
    closings.removeLast()
    expectation = closings.isEmpty ? .nothing : .commaOrEnd
    return nil
  }
}
