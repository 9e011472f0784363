import Access
import Testing

/// Tokens in the links of notifications.
@Suite struct LinkKeyTests {
  private let key = LinkKey((0..<32).map { UInt8($0) })

  @Test(arguments: [("amina", "LESSON"), ("ü@x y/z?&", "A"), ("", ""), ("用户", "C")])
  func `a token contains recipient and category`(recipient: String, category: String) throws {
    let token = try #require(key.token(recipient: recipient, category: category))
    #expect(
      key.subject(of: token) == LinkKey.Unsubscription(recipient: recipient, category: category))
    #expect(token.utf8.allSatisfy { Character(Unicode.Scalar($0)).isLinkLetter })
    #expect(key.token(recipient: recipient, category: category) == token)
    #expect(recipient.isEmpty || !token.contains(recipient))
  }

  /// Links in e-mails sent long ago must still work. Python's package `cryptography` made this
  /// token.
  @Test func `the token of a recipient and category never changes`() {
    let token = "T1XHoTXzb77JOARIG26PM-BolU_ksofH9hXxaYnRznd1q6z_Hklx-w"
    #expect(key.token(recipient: "amina", category: "LESSON") == token)
  }

  @Test func `a changed token is rejected`() throws {
    let token = try #require(key.token(recipient: "amina", category: "LESSON"))
    for count in 0..<token.count { #expect(key.subject(of: token.prefix(count)) == nil) }
    for index in token.indices {
      var forged = token
      forged.replaceSubrange(index...index, with: token[index] == "A" ? "B" : "A")
      #expect(key.subject(of: forged) == nil)
    }
    for text in [token + "A", " " + token, "", "A", "ä", "====", String(repeating: "A", count: 99)]
    {
      #expect(key.subject(of: text) == nil)
    }
    let other = LinkKey((0..<32).map { UInt8($0 + 1) })
    #expect(other.subject(of: token) == nil)
  }

  @Test func `H28: a token of an action is not valid for another purpose`() throws {
    let action = LinkKey.Action(notification: "k3x-17", name: "taken")
    let token = try #require(key.token(of: action))
    #expect(key.action(of: token) == action && token.count == 54)
    #expect(key.subject(of: token) == nil && key.undo(of: token) == nil)
    let unsubscribing = try #require(key.token(recipient: "k3x-17", category: "taken"))
    #expect(key.action(of: unsubscribing) == nil)
    for count in 0..<token.count { #expect(key.action(of: token.prefix(count)) == nil) }
    let other = LinkKey((0..<32).map { UInt8($0 + 1) })
    #expect(other.action(of: token) == nil)
  }

  @Test func `H28: a token that takes an action back contains the event`() throws {
    let undo = LinkKey.Undo(
      of: LinkKey.Action(notification: "k3x-17", name: "taken"), until: 1_700, type: "dose.undone",
      data: #"{"dose":"d1"}"#)
    let token = try #require(key.token(of: undo))
    #expect(key.undo(of: token) == undo)
    #expect(key.action(of: token) == nil && key.subject(of: token) == nil)
  }

  @Test func `H29: a token of a calendar is not valid for another purpose`() throws {
    let calendar = LinkKey.Feed(recipient: "ü@x", number: 1 << 52, isDiscreet: true)
    let token = try #require(key.token(of: calendar))
    #expect(key.calendar(of: token) == calendar)
    #expect(key.subject(of: token) == nil && key.action(of: token) == nil)
    #expect(key.undo(of: token) == nil)
    let open = LinkKey.Feed(recipient: "ü@x", number: 1 << 52, isDiscreet: false)
    #expect(key.token(of: open).flatMap { key.calendar(of: $0) } == open)
    for count in 0..<token.count { #expect(key.calendar(of: token.prefix(count)) == nil) }
    let unsubscribing = try #require(key.token(recipient: "ü@x", category: "1"))
    #expect(key.calendar(of: unsubscribing) == nil)
    let other = LinkKey((0..<32).map { UInt8($0 + 1) })
    #expect(other.calendar(of: token) == nil)
    // The longest id of a recipient, with the file's extension, fits into a segment of a path.
    let longest = LinkKey.Feed(
      recipient: String(repeating: "a", count: 128), number: (1 << 53) - 1, isDiscreet: true)
    #expect(try #require(key.token(of: longest)).count + 4 <= 256)
  }

  @Test func `the boundary between recipient and category is unambiguous`() {
    #expect(key.token(recipient: "a\u{0}b", category: "C") == nil)
    #expect(
      key.token(recipient: "a", category: "bc") != key.token(recipient: "ab", category: "c"))
  }
}

extension Character {
  fileprivate var isLinkLetter: Bool {
    isASCII && (isLetter || isNumber || self == "-" || self == "_")
  }
}
