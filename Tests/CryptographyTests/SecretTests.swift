import Cryptography
import Testing

/// Rule S4: secrets are never shown.
@Suite struct SecretTests {
  private struct Account {
    var user = "robin"
    var password = Secret("canary-4711")
  }

  @Test func `no way of printing a value shows its secrets`() {
    let account = Account()
    var dumped = ""
    dump(account, to: &dumped)
    var printed = ""
    print(account.password, account, to: &printed)
    let texts = [
      dumped, printed, "\(account)", "\(account.password)", String(reflecting: account.password),
      String(reflecting: account), "\([account.password])", "\(["key": account.password])",
      "\(Optional(account.password) as Any)", "\(Mirror(reflecting: account.password).children)",
    ]
    for text in texts { #expect(!text.contains("canary"), "\(text)") }
    #expect("\(account.password)" == "(secret)")
    #expect(dumped.contains("robin"))
  }

  @Test func `a secret is read by an explicit call`() {
    let secret = Secret("p\u{e4}ss")
    #expect(secret.reveal() == "päss")
    #expect(secret.withBytes { Array($0) } == Array("päss".utf8))
    #expect(Secret([0xff, 0x00]).withBytes { Array($0) } == [0xff, 0x00])
  }

  @Test func `secrets with the same bytes are equal`() {
    #expect(Secret("a") == Secret([0x61]))
    #expect(Secret("a") != Secret("b"))
    #expect(Secret("a") != Secret("aa"))
    #expect(Secret("") == Secret([]))
    #expect(Secret("").isEmpty && !Secret("a").isEmpty)
  }
}
