import Yams

extension CatalogReader {
  /// The reminder's messages with what their places stand for; nil if one is wrong, which has been
  /// reported.
  ///
  /// - Parameter local: what they stand for in a language, where it is not the same in all.
  mutating func messages(
    _ draft: Draft, _ names: [String: Template.Segment],
    _ local: [LanguageTag: [String: Template.Segment]] = [:]
  ) -> [MessageTemplate]? {
    // That there are none at all has been reported.
    guard let node = draft.parts["messages"] else { return nil }
    guard let sequence = node.sequence else {
      report(node, "\"messages\" must be a list")
      return nil
    }
    let topics = draft.options.topics
    let messages = sequence.map { message($0, names, local, topics) }
    let sound = messages.compactMap { $0 }
    guard sound.count == messages.count else { return nil }
    if let topics { check(topics, have: sound, at: node) }
    return sound
  }

  private mutating func message(
    _ node: Node, _ names: [String: Template.Segment],
    _ local: [LanguageTag: [String: Template.Segment]], _ topics: Topics?
  ) -> MessageTemplate? {
    let parts = members(
      node, of: "a message",
      allowed: ["title", "body", "locales"] + (topics == nil ? [] : ["topic"]),
      required: ["title", "body"])
    let title = parts["title"].flatMap { template($0, "title", names) }
    let body = parts["body"].flatMap { template($0, "body", names) }
    let translations = translations(parts["locales"], names, local)
    guard let title, let body, let translations else { return nil }
    return MessageTemplate(
      title: title, body: body, topic: parts["topic"].flatMap { topic($0, among: topics) },
      language: language, translations: translations)
  }

  /// - Parameter language: that of the text; the catalog's own if nil.
  mutating func template(
    _ node: Node, _ what: String, _ names: [String: Template.Segment],
    in language: LanguageTag? = nil
  ) -> Template? {
    guard mayReadText(at: node), let text = text(node, what) else { return nil }
    var names = names
    names["recipient.name"] = .name
    do {
      return try Template(parsing: text, names: names, language: language ?? self.language)
    } catch {
      report(node, "\(error)")
      return nil
    }
  }

  /// The places that a message about an event may have, with the name of the distance to the
  /// instant that it is about; a field of that name goes before.
  func places(of schema: EventSchema?, distance: String) -> [String: Template.Segment] {
    places(of: schema).merging([distance: .distance]) { field, _ in field }
  }

  /// The places that a message about an event may have: its fields, and of an instant the local
  /// date, time and day of the week each by itself, of a list how many it has, of a person or a
  /// place what tells it from others.
  func places(of schema: EventSchema?) -> [String: Template.Segment] {
    var places: [String: Template.Segment] = [:]
    for field in schema?.fields ?? [] {
      let symbol = Symbol(field.name)
      places[field.name] = .field(symbol, .whole)
      switch field.kind {
      case .instant:
        places[field.name + ".date"] = .field(symbol, .date)
        places[field.name + ".time"] = .field(symbol, .time)
        places[field.name + ".weekday"] = .field(symbol, .weekday)
        places[field.name + ".longDate"] = .field(symbol, .longDate)
        places[field.name + ".until"] = .field(symbol, .distance)
        places[field.name + ".since"] = .field(symbol, .distance)
      case .person:
        places[field.name + ".id"] = .field(symbol, .id)
        places[field.name + ".firstName"] = .field(symbol, .firstName)
      case .place: places[field.name + ".id"] = .field(symbol, .id)
      case .list(let sorts):
        places[field.name] = .field(symbol, .counted(sorts))
        places[field.name + ".count"] = .field(symbol, .count)
      case .number, .kept: places[field.name] = .field(symbol, .count)
      case .identifier, .text, .flag, .preview, .recipient: break
      }
    }
    return places
  }
}

extension CatalogReader {
  /// The texts of a message in other languages.
  ///
  /// - Parameter local: what places stand for in a language, where it is not the same in all.
  mutating func translations(
    _ node: Node?, _ names: [String: Template.Segment],
    _ local: [LanguageTag: [String: Template.Segment]]
  ) -> [MessageTemplate.Translation]? {
    var translations: [MessageTemplate.Translation] = []
    var isSound = true
    for entry in keyedEntries(node, "locales") {
      let translation = translation(entry, names, local)
      isSound = isSound && translation != nil
      if let translation { translations.append(translation) }
    }
    return isSound ? translations : nil
  }

  private mutating func translation(
    _ entry: YAMLEntry, _ names: [String: Template.Segment],
    _ local: [LanguageTag: [String: Template.Segment]]
  ) -> MessageTemplate.Translation? {
    guard let language = language(entry.key, "a locale") else { return nil }
    let parts = members(
      entry.value, of: "the message in \"\(entry.name)\"", allowed: ["title", "body"],
      required: ["title", "body"])
    let names = names.merging(local[language] ?? [:]) { $1 }
    let title = parts["title"].flatMap { template($0, "title", names, in: language) }
    let body = parts["body"].flatMap { template($0, "body", names, in: language) }
    guard let title, let body else { return nil }
    return MessageTemplate.Translation(language: language, title: title, body: body)
  }

  /// A language, such as `de` or `pt-BR`.
  mutating func language(_ node: Node, _ what: String) -> LanguageTag? {
    let text = node.string ?? ""
    guard let tag = LanguageTag(text) else {
      report(node, "\(what) must be a language such as de or pt-BR; \"\(text)\" is none")
      return nil
    }
    guard tag.isKnown else {
      report(
        node, "\"\(tag.language)\" is no language that is known" + hint(text, LanguageTag.known))
      return nil
    }
    return tag
  }
}
