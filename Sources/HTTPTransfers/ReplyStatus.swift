/// The class of a reply's status code (RFC 9110, section 15).
package enum ReplyStatus: Hashable, Sendable {
  /// An informational reply (1xx); the final one follows.
  case interim
  /// The final reply, with its status code.
  case final(Int)

  /// Classifies a code. Returns nil outside 100..<600, and for 101, because no request permits a
  /// switch of protocols.
  package init?(code: Int) {
    switch code {
    case 200..<600: self = .final(code)
    case 100, 102..<200: self = .interim
    default: return nil
    }
  }

  /// Classifies the code in a text. Also returns nil if the text is not exactly three digits.
  package init?(text: String) {
    guard let code = Self.code(text.utf8) else { return nil }
    self.init(code: code)
  }

  /// Parses three ASCII digits.
  static func code(_ digits: some Collection<UInt8>) -> Int? {
    guard digits.count == 3, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }
}

/// The reason why a reply is invalid; `description` is a clause for a longer sentence.
package enum ReplyError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The reply has no valid status line.
  case noStatus
  /// The status line has a code that no reply to a request may have.
  case status(Int)
  /// The head exceeds its size limit.
  case longHead

  package var description: String {
    switch self {
    case .noStatus: "it does not begin with an HTTP status line"
    case .status(let code): "its status \(code) is invalid"
    case .longHead: "its head is longer than \(ReplyHead.byteCountMax) bytes"
    }
  }
}
