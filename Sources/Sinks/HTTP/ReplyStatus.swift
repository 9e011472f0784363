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
    guard text.utf8.count == 3, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let code = Int(text)
    else { return nil }
    self.init(code: code)
  }
}
