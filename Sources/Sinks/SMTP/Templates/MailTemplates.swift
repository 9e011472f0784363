import Mustache
package import Reminders

/// The e-mail templates by category, language and kind (text or HTML).
package struct MailTemplates: Sendable {
  package enum Kind: String, Sendable, CaseIterable {
    case text
    case html
  }

  /// The scope of a template; nil means all categories or all languages.
  struct Key: Hashable {
    var category: String?
    var language: LanguageTag?
    var kind: Kind
  }

  private var templates: [Key: MustacheTemplate] = [:]
  /// All templates by name, for partials.
  private var library = MustacheLibrary()

  /// Returns the built-in templates.
  package static func builtIn() throws -> MailTemplates {
    var templates = MailTemplates()
    for (kind, text) in [(Kind.text, BuiltInMail.text), (.html, BuiltInMail.html)] {
      try templates.add(text, named: "default.\(kind.rawValue)", Key(kind: kind))
    }
    return templates
  }

  /// Adds or replaces a template.
  mutating func add(_ text: String, named name: String, _ key: Key) throws {
    let template = try MustacheTemplate(string: Self.pragma(of: key.kind) + text)
    templates[key] = template
    library.register(template, named: name)
  }

  /// Returns the mustache pragma of a kind: text templates do not escape HTML.
  static func pragma(of kind: Kind) -> String {
    kind == .text ? "{{% CONTENT_TYPE:TEXT}}" : ""
  }

  /// Renders an e-mail. Templates of the category take precedence over templates of all categories.
  /// Within each of these groups, a template for the language takes precedence over the template
  /// for all languages.
  package func render(
    _ kind: Kind, category: String, language: LanguageTag?, _ values: MailValues
  ) -> String {
    for category in [category, nil] {
      let key = Key(category: category, kind: kind)
      if let template = template(key, language) {
        return template.render(values.members, library: library)
      }
    }
    return values.body
  }

  private func template(_ key: Key, _ language: LanguageTag?) -> MustacheTemplate? {
    let localized = language?.lookup { language in
      var key = key
      key.language = language
      return templates[key]
    }
    return localized ?? templates[key]
  }
}

/// The values of an e-mail template.
package struct MailValues {
  package var title: String
  package var body: String
  package var category: String
  /// The recipient's name; nil if it is unknown.
  package var name: String?
  /// The unsubscribe link; nil for none.
  package var unsubscribe: MailLink?
  /// The actions, of which those with a link become links.
  package var actions: [OfferedAction]

  package init(
    title: String, body: String, category: String, name: String? = nil,
    unsubscribe: MailLink? = nil, actions: [OfferedAction] = []
  ) {
    self.title = title
    self.body = body
    self.category = category
    self.name = name
    self.unsubscribe = unsubscribe
    self.actions = actions
  }

  /// The names of the values in templates. `paragraphs` are the lines of the body.
  static let names = [
    "title", "body", "category", "name", "unsubscribe", "paragraphs", "actions", "url",
  ]

  /// The values by their names. Values that are nil or empty lists are missing.
  var members: [String: Any] {
    var members: [String: Any] = [
      "title": title, "body": body, "category": category,
      "paragraphs": body.split(whereSeparator: \.isNewline).map(String.init),
    ]
    members["name"] = name
    members["unsubscribe"] = unsubscribe?.description
    let actions = actions.compactMap { action in
      action.url.map { ["title": action.title, "url": $0] }
    }
    if !actions.isEmpty { members["actions"] = actions }
    return members
  }
}

/// The default templates.
enum BuiltInMail {
  static let text = """
    {{title}}

    {{body}}
    {{#actions}}

    {{title}}: {{url}}
    {{/actions}}
    {{#unsubscribe}}

    --\u{20}
    Unsubscribe from these e-mails: {{unsubscribe}}
    {{/unsubscribe}}

    """

  static let html = """
    <!DOCTYPE html>
    <html>
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>{{title}}</title>
    </head>
    <body style="margin: 0; padding: 24px; font-family: sans-serif; line-height: 1.5">
    <div dir="auto" style="max-width: 560px; margin: 0 auto">
    <h1 style="font-size: 20px">{{title}}</h1>
    {{#paragraphs}}
    <p>{{.}}</p>
    {{/paragraphs}}
    {{#actions}}
    <p><a href="{{url}}" style="display: inline-block; padding: 8px 16px; border: 1px solid; \
    border-radius: 4px; text-decoration: none">{{title}}</a></p>
    {{/actions}}
    {{#unsubscribe}}
    <p style="margin-top: 32px; font-size: 12px; color: #666">
    <a href="{{unsubscribe}}" style="color: #666">Unsubscribe from these e-mails</a>
    </p>
    {{/unsubscribe}}
    </div>
    </body>
    </html>

    """
}
