package import Outbox
package import Reminders

/// The preview of an e-mail. Nothing is sent.
package struct MailRendering: Hashable, Sendable {
  package let subject: String
  package let text: String
  package let html: String
}

/// Renders e-mail previews with the templates of the first e-mail sink, or with the built-in
/// templates.
package struct MailRenderer: Sendable {
  private let templates: MailTemplates
  /// The unsubscribe link of previews, without a valid token; nil if mails have none.
  private let unsubscribe: MailLink?

  /// - Throws: an error if the built-in templates cannot be read.
  package init(like sinks: [any Sink]) throws {
    let composer = sinks.lazy.compactMap { ($0 as? SMTPSink)?.composer }.first
    templates = try composer?.templates ?? MailTemplates.builtIn()
    unsubscribe = composer?.unsubscribe.flatMap { MailLink("\($0.base)/unsubscribe/TOKEN") }
  }

  /// - Parameter name: the recipient's name.
  package func render(
    title: String, body: String, category: String, language: LanguageTag, name: String
  ) -> MailRendering {
    let values = MailValues(
      title: title, body: body, category: category, name: name, unsubscribe: unsubscribe)
    let render = { (kind: MailTemplates.Kind) in
      templates.render(kind, category: category, language: language, values)
    }
    return MailRendering(subject: title, text: render(.text), html: render(.html))
  }
}
