/// What a reply says by its status, if HTTP has such a status (RFC 9110, section 15).
package enum ReplyStatus: Hashable, Sendable {
  /// It announces the reply that is to come.
  case interim
  case final(Int)

  /// Nil below 100, from 600, and for 101, by which nobody can answer who was not asked to speak
  /// another protocol.
  package init?(code: Int) {
    switch code {
    case 200..<600: self = .final(code)
    case 100, 102..<200: self = .interim
    default: return nil
    }
  }

  /// Nil as well for what is not three digits.
  package init?(text: String) {
    guard let code = Self.code(text.utf8) else { return nil }
    self.init(code: code)
  }

  /// The number that three digits are.
  static func code(_ digits: some Collection<UInt8>) -> Int? {
    guard digits.count == 3, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }
}

/// What is wrong with a reply, in words that end a sentence.
package enum ReplyFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// It does not begin as a reply does.
  case noStatus
  case status(Int)
  case longHead

  package var description: String {
    switch self {
    case .noStatus: "it does not begin with a status"
    case .status(let code): "its status is \(code), which HTTP does not have"
    case .longHead: "its head is longer than \(ReplyHead.byteCountMax) bytes"
    }
  }
}
