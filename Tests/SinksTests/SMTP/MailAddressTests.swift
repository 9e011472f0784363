import Reminders
import Sinks
import Testing

/// Mail addresses and header texts.
@Suite struct MailAddressTests {
  @Test(arguments: [
    "amina@example.org", "a.b+c@example.org", "o'hara@example.org", "x@localhost",
    "AMINA@EXAMPLE.ORG", "用户@example.org", "a@xn--bcher-kva.example", "a@bücher.example",
  ])
  func `a valid address is accepted`(text: String) {
    #expect(MailAddress(text) != nil)
    #expect(AddressShape.email(text) != nil)
  }

  @Test(arguments: [
    "", "@", "amina", "amina@", "@example.org", "a b@example.org", "a@b@", "a@ex ample.org",
    "a\r\nRCPT TO:<eve@example.org>@example.org", "a@example.org\r\nDATA", "a\n@example.org",
    "a\u{0}@example.org", "<a@example.org>", "a@example.org>", "\"a b\"@example.org", ".a@b.org",
    "a.@b.org", "a..b@c.org", "a@-b.org", "a@b-.org", "a@b..org", "a@.org", "a@127.0.0.1",
    "a@[127.0.0.1]", "a@b.org SIZE=1", "a\u{202E}b@c.org", "a\u{85}b@c.org", "a\u{2028}@c.org",
    "a@c.org\u{2028}", "a@b\u{FF0E}org\r\n", "a,b@c.org", "a;b@c.org", "a:b@c.org", "a\u{7F}@c.org",
    String(repeating: "a", count: 65) + "@c.org", "a@" + String(repeating: "b", count: 64) + ".org",
    "a@" + String(repeating: "b.", count: 130) + "org",
  ])
  func `an invalid address is refused`(text: String) {
    #expect(MailAddress(text) == nil)
    #expect(AddressShape.email(text) == nil, "an event must not accept this address either")
    #expect(Mailbox("Name <\(text)>") == nil)
  }

  @Test func `a mailbox may have a name`() {
    #expect(Mailbox("Amina Y <a@b.org>")?.encoded == "Amina Y\r\n <a@b.org>")
    #expect(Mailbox("a@b.org")?.encoded == "a@b.org")
    #expect(Mailbox("\"Amina Y\" <a@b.org>")?.encoded == "Amina Y\r\n <a@b.org>")
    #expect(Mailbox(#""A \"Y\", \\ Inc." <a@b.org>"#)?.name?.text == #"A "Y", \ Inc."#)
    #expect(Mailbox(#""A" "Y" <a@b.org>"#)?.name?.text == #""A" "Y""#)
    #expect(Mailbox("Zoë, \"x\" <a@b.org>")?.encoded == "=?UTF-8?B?Wm/DqywgIngi?=\r\n <a@b.org>")
  }

  @Test func `a header text cannot add another header`() {
    let text = HeaderText("Hello\r\nBcc: eve@example.org\n\u{0}\u{2028}\u{85}x")
    #expect(
      text.encoded
        == "Hello  Bcc: eve@example.org    x".split(separator: " ").joined(separator: " "))
    #expect(!text.text.contains { $0.isNewline })
  }

  @Test func `long headers are folded`() {
    for text in [String(repeating: "word ", count: 100), String(repeating: "é", count: 400)] {
      let lines = HeaderText(text).encoded.split(separator: "\r\n")
      #expect(lines.count > 5 && lines.allSatisfy { $0.utf8.count <= 77 })
      #expect(lines.dropFirst().allSatisfy { $0.first == " " && $0.contains { $0 != " " } })
    }
  }
}
