import CivilTime
import Yams

extension CatalogReader {
  /// Reads the reminder's messages. Returns nil if one is invalid; the mistake has then been
  /// reported.
  ///
  /// - Parameters:
  ///   - placeholders: the segments that replace placeholders, by the placeholders' names.
  ///   - localPlaceholders: segments that override `placeholders` in single languages.
  mutating func messages(
    _ draft: Draft, _ placeholders: [String: Template.Segment],
    _ localPlaceholders: [LanguageTag: [String: Template.Segment]] = [:]
  ) -> [MessageTemplate]? {
    self.placeholders = placeholders
    var placeholders = placeholders
    if role(draft.members) != nil { placeholders[Relay.nameField] = .name }
    // Missing messages have been reported already.
    guard let node = draft.members["messages"] else { return nil }
    guard let sequence = node.sequence else {
      report(node, "\"messages\"", mustBe: .list)
      return nil
    }
    let topics = draft.options.topics
    let messages = sequence.map { message($0, placeholders, localPlaceholders, topics) }
    let valid = messages.compactMap { $0 }
    guard valid.count == messages.count else { return nil }
    if let topics { check(topics, have: valid, at: node) }
    return valid
  }

  mutating func message(
    _ node: Node, _ placeholders: [String: Template.Segment],
    _ localPlaceholders: [LanguageTag: [String: Template.Segment]], _ topics: Topics?
  ) -> MessageTemplate? {
    let members = members(node, of: "a message", topics == nil ? .message : .topicMessage)
    let title = members["title"].flatMap { template($0, "title", placeholders) }
    let body = members["body"].flatMap { template($0, "body", placeholders) }
    let translations = translations(members["locales"], placeholders, localPlaceholders)
    let discreet = members["discreet"].flatMap { discreetText($0) }
    guard let title, let body, let translations else { return nil }
    for translation in translations where (translation.discreet == nil) != (discreet == nil) {
      report(
        node,
        "the message has a discreet text in only some of its languages; add \"discreet\" in "
          + "\"\(discreet == nil ? language : translation.language)\"")
      return nil
    }
    return MessageTemplate(
      title: title, body: body, discreet: discreet,
      topic: members["topic"].flatMap { topic($0, among: topics) }, language: language,
      translations: translations)
  }

  /// Reads a text with placeholders.
  ///
  /// - Parameter language: the language of the text; nil for the catalog's language.
  mutating func template(
    _ node: Node, _ key: String, _ placeholders: [String: Template.Segment],
    in language: LanguageTag? = nil
  ) -> Template? {
    guard countText(at: node), let text = text(node, key) else { return nil }
    var placeholders = placeholders
    placeholders["recipient.name"] = .name
    do {
      return try Template(
        parsing: text, names: placeholders, language: language ?? self.language)
    } catch {
      report(node, "\(error)")
      return nil
    }
  }

  /// Returns the placeholders for a message about an event. The placeholder with the name
  /// `distance` is the time between the notification and the event's instant (rule G8). A field of
  /// that name takes precedence.
  func placeholders(of schema: EventSchema?, distance: String) -> [String: Template.Segment] {
    placeholders(of: schema).merging([distance: .distance]) { field, _ in field }
  }

  /// Returns the placeholders for a message about an event: its fields. An instant also has the
  /// local date, time and day of the week; a date has the day of the week; a list has the number of
  /// its elements; a person or a place has the id.
  func placeholders(of schema: EventSchema?) -> [String: Template.Segment] {
    var placeholders: [String: Template.Segment] = [:]
    for field in schema?.fields ?? [] {
      let symbol = Symbol(field.name)
      if field.kind == .plan { continue }
      placeholders[field.name] = .field(symbol, .whole)
      switch field.kind {
      case .instant:
        placeholders[field.name + ".date"] = .field(symbol, .date)
        placeholders[field.name + ".time"] = .field(symbol, .time)
        placeholders[field.name + ".weekday"] = .field(symbol, .weekday)
        placeholders[field.name + ".longDate"] = .field(symbol, .longDate)
        placeholders[field.name + ".until"] = .field(symbol, .distance)
        placeholders[field.name + ".since"] = .field(symbol, .distance)
        addCalendars(field, to: &placeholders)
      case .date:
        addCalendars(field, to: &placeholders)
        placeholders[field.name + ".weekday"] = .field(symbol, .weekday)
        placeholders[field.name + ".longDate"] = .field(symbol, .longDate)
      case .person:
        placeholders[field.name + ".id"] = .field(symbol, .id)
        placeholders[field.name + ".firstName"] = .field(symbol, .firstName)
      case .place: placeholders[field.name + ".id"] = .field(symbol, .id)
      case .list(let sorts):
        placeholders[field.name] = .field(symbol, .counted(sorts))
        placeholders[field.name + ".count"] = .field(symbol, .count)
      case .number, .rememberedNumber: placeholders[field.name] = .field(symbol, .count)
      case .identifier, .text, .flag, .preview, .recipient, .plan: break
      }
    }
    return placeholders
  }

  /// Adds the date of a field in each other calendar, such as `due.persian`.
  private func addCalendars(
    _ field: EventSchema.Field, to placeholders: inout [String: Template.Segment]
  ) {
    for calendar in CalendarSystem.allCases {
      placeholders["\(field.name).\(calendar.rawValue)"] =
        .field(Symbol(field.name), .calendar(calendar))
    }
  }
}

extension CatalogReader {
  /// Reads the texts of a message in other languages. Returns nil if one is invalid.
  ///
  /// - Parameter localPlaceholders: segments that override `placeholders` in single languages.
  mutating func translations(
    _ node: Node?, _ placeholders: [String: Template.Segment],
    _ localPlaceholders: [LanguageTag: [String: Template.Segment]]
  ) -> [MessageTemplate.Translation]? {
    var translations: [MessageTemplate.Translation] = []
    var isValid = true
    for entry in keyedEntries(node, "locales") {
      let translation = translation(entry, placeholders, localPlaceholders)
      isValid = isValid && translation != nil
      if let translation { translations.append(translation) }
    }
    return isValid ? translations : nil
  }

  private mutating func translation(
    _ entry: YAMLEntry, _ placeholders: [String: Template.Segment],
    _ localPlaceholders: [LanguageTag: [String: Template.Segment]]
  ) -> MessageTemplate.Translation? {
    guard let language = language(entry.key, "a locale") else { return nil }
    let members = members(entry.value, of: "the message in \"\(entry.name)\"", .translation)
    let placeholders = placeholders.merging(localPlaceholders[language] ?? [:]) { $1 }
    let title = members["title"].flatMap { template($0, "title", placeholders, in: language) }
    let body = members["body"].flatMap { template($0, "body", placeholders, in: language) }
    let discreet = members["discreet"].flatMap { discreetText($0) }
    guard let title, let body else { return nil }
    return MessageTemplate.Translation(
      language: language, title: title, body: body, discreet: discreet)
  }

  /// Reads a language, such as `de` or `pt-BR`.
  mutating func language(_ node: Node, _ subject: String) -> LanguageTag? {
    let text = node.string ?? ""
    guard let tag = LanguageTag(text) else {
      report(node, "\(subject) must be a language such as de or pt-BR; it is \"\(text)\"")
      return nil
    }
    guard tag.isKnown else {
      let nearest = hint(text, LanguageTag.known)
      report(
        node,
        "\"\(tag.language)\" is not a known language"
          + (nearest.isEmpty ? "; write its code, such as de or pt-BR" : nearest))
      return nil
    }
    return tag
  }
}
