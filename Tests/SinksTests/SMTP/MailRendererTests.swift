import Access
import DeliverySamples
import Outbox
import Reminders
import Sinks
import TestSupport
import Testing

/// Previews of e-mails.
@Suite struct MailRendererTests {
  private func render(_ sinks: [any Sink], language: String = "en") throws -> MailRendering {
    try MailRenderer(like: sinks).render(
      title: "A & B", body: "One.\nTwo.", category: "LESSON",
      language: #require(LanguageTag(language)), name: "Sam")
  }

  @Test func `without a mail sink, built-in templates are used`() throws {
    let mail = try render([])
    #expect(mail.subject == "A & B")
    #expect(mail.text.hasPrefix("A & B\n\nOne.\nTwo."))
    #expect(mail.html.contains("<h1 style=\"font-size: 20px\">A &amp; B</h1>"))
    #expect(!mail.text.contains("unsubscribe"))
  }

  @Test func `the sink's own templates are used in the requested language`() throws {
    let templates = try TemporaryDirectory()
    try templates.write("Dear {{name}}: {{title}} {{unsubscribe}}", to: "LESSON.text.mustache")
    try templates.write("Hallo {{name}}", to: "LESSON.de.text.mustache")
    let sink = try SMTPFixtures.sink(
      "smtp://localhost:1", ["templates: \(templates.path)"],
      publicURL: PublicURL("https://notify.example.org/"))
    let expected = "Dear Sam: A & B https://notify.example.org/unsubscribe/TOKEN"
    #expect(try render([sink]).text == expected)
    #expect(try render([sink], language: "de").text == "Hallo Sam")
  }
}
