import JSON
import Testing

/// Mail and its one-click unsubscription (RFC 8058), from the event to the changed preference.
@OwnThread @Suite struct MailDeliveryTests {
  @Test(
    .enabled(
      if: Project.hasTool(Interpreter.mail),
      "aiosmtpd is missing; run `make test`, which fetches it"))
  func `one click in a mail switches off its category's mails`() throws {
    let peer = try Peer(
      Peer.directory + "SMTP/smtp_peer.py", ["--received", "/dev/stdout"],
      interpreter: Interpreter.mail)
    let stage = try DeliveryStage(
      [
        "mail": """
        {type: smtp, url: "smtp://127.0.0.1:\(peer.port)", tls: none, \
        from: "Notes <notes@example.org>"}
        """, "lines": "{type: jsonl, file: \"-\"}",
      ], routes: "{email: mail, push: lines}",
      others: ["public-url: https://notify.example.org"])
    let service = try stage.start()
    try service.report(
      Report.event("e1", "recipient.updated", #"{"email":"amina@example.org"}"#),
      Report.note("one", by: #""email","push""#))
    let mail = try peer.next()
    #expect(mail["recipients"] == ["amina@example.org"])
    #expect(mail["text"]?.stringValue?.contains("A note.") == true)
    #expect(mail["html"]?.stringValue?.contains("<html") == true)
    #expect(Self.header("List-Unsubscribe-Post", of: mail) == "List-Unsubscribe=One-Click")
    let link = try #require(Self.header("List-Unsubscribe", of: mail))
    let prefix = "<https://notify.example.org"
    #expect(link.hasPrefix(prefix + "/unsubscribe/") && link.hasSuffix(">"))

    let path = String(link.dropFirst(prefix.count).dropLast())
    let page = try service.ask("POST", path, "List-Unsubscribe=One-Click")
    #expect(page.status == 200, "\(page)")
    let preferences = try service.ask("GET", "/v1/recipients/r1/preferences").body
    #expect(preferences["categories"]?["NOTE"]?["email"] == false)
    #expect(preferences["categories"]?["NOTE"]?["push"] == true)
    try service.report(Report.note("two", by: #""email","push""#))
    let explained = try service.deliveries("two") { $0.allSatisfy { $0.isOver } }
    #expect(explained.map(\.description) == ["push by lines: accepted"])
    #expect(try service.stop() == .exited(0))
    #expect(try peer.stop() == [])
  }

  private static func header(_ name: String, of mail: JSONValue) -> String? {
    let field = mail["headers"]?.arrayValue?.first {
      $0.arrayValue?.first?.stringValue == name
    }
    return field?.arrayValue?.last?.stringValue
  }
}
