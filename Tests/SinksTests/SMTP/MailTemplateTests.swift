import Access
import CivilTime
import DeliverySamples
import Foundation
import Outbox
import Reminders
import Sinks
import Systemd
import TestSupport
import Testing

/// Templates of e-mails, and their faults.
@Suite struct MailTemplateTests {
  @Test(.enabled(if: SMTPPeer.isAvailable, SMTPPeer.comment))
  func `templates are chosen by category first and then by language`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("all {{title}} & {{body}}", to: "default.text.mustache")
    try directory.write("alle {{title}}", to: "default.de.text.mustache")
    try directory.write(
      "<p>{{title}} {{{title}}} {{name}}</p>{{#paragraphs}}<i>{{.}}</i>{{/paragraphs}}",
      to: "NOTE.html.mustache")
    try directory.write("{{>default.text}} in Brazil", to: "default.pt-BR.text.mustache")
    try directory.write("not one", to: "README")
    let peer = try SMTPPeer()
    let sink = try SMTPFixtures.sink(
      "smtp://127.0.0.1:\(peer.port)", ["templates: \(directory.path)", "concurrency: 1"])
    let locales = [nil, "de-AT", "pt_br", "fr"]
    let answers = try await sink.deliver(
      locales.enumerated().map {
        SMTPFixtures.delivery(
          Int64($0.offset), name: "A", title: "<b>", body: "x & y\n\nz", locale: $0.element)
      })
    #expect(answers.map(\.isDelivered) == [true, true, true, true])
    let received = try peer.received
    #expect(
      received.map(\.text) == [
        "all <b> & x & y\n\nz\n", "alle <b>\n", "all <b> & x & y\n\nz in Brazil\n",
        "all <b> & x & y\n\nz\n",
      ])
    #expect(
      received.map(\.html)
        == Array(repeating: "<p>&lt;b&gt; <b> A</p><i>x &amp; y</i><i>z</i>\n", count: 4))
  }

  @Test(.enabled(if: SMTPPeer.isAvailable, SMTPPeer.comment))
  func `a link to unsubscribe is in header and body`() async throws {
    let peer = try SMTPPeer()
    let sink = try SMTPFixtures.sink(
      "smtp://127.0.0.1:\(peer.port)", ["concurrency: 1"],
      publicURL: PublicURL("https://notify.example.org/"),
      unsubscribeToken: { $0 == "amina" && $1 == "NOTE" ? "TOKEN" : nil })
    #expect(try await sink.deliver([SMTPFixtures.delivery(1)]).map(\.isDelivered) == [true])
    let mail = try #require(try peer.received.first)
    let link = "https://notify.example.org/unsubscribe/TOKEN"
    #expect(mail.headers("List-Unsubscribe") == ["<\(link)>"])
    #expect(mail.headers("List-Unsubscribe-Post") == ["List-Unsubscribe=One-Click"])
    #expect(mail.text.contains(link) && mail.html.contains("href=\"\(link)\""))
  }

  @Test(.enabled(if: SMTPPeer.isAvailable, SMTPPeer.comment))
  func `H28: actions are links in the text and buttons in the HTML`() async throws {
    let peer = try SMTPPeer()
    let sink = try SMTPFixtures.sink("smtp://127.0.0.1:\(peer.port)", ["concurrency: 1"])
    var delivery = SMTPFixtures.delivery(1)
    delivery.message = delivery.message.with(details: ActionSample.details(count: 2))
    #expect(try await sink.deliver([delivery]).map(\.isDelivered) == [true])
    let mail = try #require(try peer.received.first)
    #expect(mail.text.contains("A1: https://x.org/a/1\n") && mail.text.contains("A2: https://"))
    #expect(mail.html.contains("<a href=\"https://x.org/a/2\"") && mail.html.contains(">A2</a>"))
  }

  @Test(arguments: [
    ("default.html.mustache", "a\n  {{titel}}", "2:3: {{titel}} is unknown here"),
    ("default.text.mustache", "{{#name}}x", "1:"),
    ("default.text.mustache", "{{name", "1:"),
    ("default.html.mustache", "{{#name}}{{/title}}", "does not close the open section"),
    ("default.html.mustache", "{{>footer}}", "there is no footer.mustache in the directory"),
    ("default.mustache", "x", "must be called like default.html.mustache"),
    ("default.d.html.mustache", "x", "\"d\" is not a language"),
    ("x.y.z.html.mustache", "x", "must be called like"),
  ])
  func `a faulty template is found by the check`(name: String, text: String, message: String) throws
  {
    let directory = try TemporaryDirectory()
    try directory.write(text, to: name)
    let delivery = try SMTPFixtures.configuration([
      "type: smtp", "url: smtp://127.0.0.1", "from: a@b.org", "templates: \(directory.path)",
    ])
    let error = #expect(throws: (any Error).self) {
      try delivery.sinks[0].check(credentials: Credentials(directory: nil))
    }
    let description = error.map { "\($0)" } ?? ""
    #expect(description.contains("\(directory.path)/\(name):"), "\(description)")
    #expect(description.contains(message), "\(description)")
  }

  @Test(arguments: [
    ("url: http://x", "must be smtp://HOST"), ("url: smtp://u:p@x", "must be smtp://HOST"),
    ("url: smtp://", "must be smtp://HOST"),
    ("url: \"smtp://x/\\r\\nDATA\"", "must be smtp://HOST"),
    ("from: nobody", "from must be an address"),
    ("reply-to: \"a@b.org\\r\\nBcc: c@d.org\"", "reply-to must be an address"),
    ("tls: maybe", "tls must be required or none"),
    ("user: mailer", "user cannot be set alone"),
    ("password: secret", "must be {credential: NAME}"),
    ("password: {credential: mail}", "password cannot be set alone"),
    ("user: m\n  password: {credential: x}\n  tls: none", "tls cannot be none with a password"),
    ("url: smtps://x\n  tls: none", "tls cannot be none where the url begins with smtps"),
    ("sender: x", "has no \"sender\""),
  ])
  func `a faulty setting is refused with its location`(line: String, message: String) {
    let key = line.prefix { $0 != ":" }
    let lines = ["type: smtp", "url: smtp://127.0.0.1", "from: a@b.org"]
    let error = #expect(throws: CatalogErrors.self) {
      try SMTPFixtures.configuration(lines.filter { !$0.hasPrefix(key) } + [line])
    }
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    #expect(error?.diagnostics.allSatisfy { $0.line > 0 } == true)
  }
}
