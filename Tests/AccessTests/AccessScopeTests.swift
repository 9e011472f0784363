import Access
import Testing

@Suite struct AccessScopeTests {
  @Test func anAdministratorMayAskForEveryone() {
    #expect(AccessScope("admin") == .administrator)
    #expect(AccessScope.administrator.covers("u1"))
  }

  @Test func aRecipientMayAskForThemselvesAlone() throws {
    let scope = try #require(AccessScope("recipient:u1"))
    #expect(scope == .recipient("u1"))
    #expect(scope.covers("u1"))
    #expect(!scope.covers("u2"))
    #expect(!scope.covers("u11"))
    #expect(!scope.covers(""))
  }

  @Test func anotherSpellingOfALetterIsAnotherRecipient() {
    let scope = AccessScope.recipient("ren\u{e9}e")
    #expect(scope.covers("ren\u{e9}e"))
    #expect(!scope.covers("rene\u{301}e"))
  }

  @Test(arguments: ["", "Admin", "admin ", "recipient", "recipient:", "recipient:a\nb", "user:u1"])
  func whatNamesNoScopeIsNone(text: String) {
    #expect(AccessScope(text) == nil)
  }

  @Test(arguments: ["admin", "recipient:u1", "recipient:a:b c"])
  func aScopeIsWrittenAsItIsRead(text: String) {
    #expect(AccessScope(text)?.text == text)
  }
}
