import CivilTime
import JSON
import Yams

/// Reads the actions of categories and reminders (rule G13).
extension CatalogReader {
  private static let actionsMax = 4
  private static let nameBytesMax = 32
  /// The maximum length of a title. Buttons of notifications show about this many characters.
  private static let titleCharactersMax = 40
  /// The effects of an action. Each action has exactly one of these keys.
  private static let effects = ["event", "snooze", "set"]

  /// Reads the actions of a category. All settings must have been declared before.
  mutating func readActions(ofCategory name: String, _ node: Node) {
    guard let actions = node.mapping?["actions"], let index = catalog.categoryIndex(name),
      catalog.categories[index].actions.isEmpty
    else { return }
    catalog.set(self.actions(actions, following: nil), ofCategory: index)
  }

  /// Returns the actions of a reminder: its own, or else those of its category.
  mutating func actions(_ parts: [String: Node], category: Int?) -> [NotificationAction] {
    if let node = parts["actions"] { return actions(node, following: followedSchema(parts)) }
    guard let category, catalog.categories.indices.contains(category) else { return [] }
    return catalog.categories[category].actions
  }

  /// Returns the schema of the event that an occurrence of a reminder follows; nil if it follows
  /// none.
  func followedSchema(_ parts: [String: Node]) -> EventSchema? {
    guard parts["milestones"] == nil else { return nil }
    if let every = parts["every"], hasSeriesPerEntity(every) { return schema(parts["since"]) }
    let body = ["on", "after", "before", "past"].lazy.compactMap { parts[$0] }.first
    return schema(body?.mapping?["event"])
  }

  private mutating func actions(
    _ node: Node, following schema: EventSchema?
  ) -> [NotificationAction] {
    let entries = keyedEntries(node, "actions")
    guard entries.count <= Self.actionsMax else {
      report(
        node,
        "actions has \(entries.count) entries; a notification shows at most \(Self.actionsMax)")
      return []
    }
    return entries.compactMap { action($0, following: schema) }
  }

  private mutating func action(
    _ entry: YAMLEntry, following schema: EventSchema?
  ) -> NotificationAction? {
    guard Self.isName(entry.name) else {
      report(
        entry.key,
        "the name of an action must have 1 to \(Self.nameBytesMax) letters, digits, - or _ of "
          + "ASCII; the title may have others")
      return nil
    }
    let what = "the action \"\(entry.name)\""
    let parts = members(entry.value, of: what, .action)
    let given = Self.effects.filter { parts[$0] != nil }
    guard given.count == 1 else {
      if entry.value.mapping != nil {
        report(entry.key, "\(what) needs exactly one of \"event\", \"snooze\" and \"set\"")
      }
      return nil
    }
    if let undo = parts["undo"], parts["event"] == nil {
      report(undo, "\"undo\" needs \"event\"; a snooze and a change are undone without it")
    }
    let titles = parts["title"].map { actionTitles($0) }
    if titles == nil, parts["snooze"] == nil {
      report(entry.key, "\(what) needs \"title\"")
      return nil
    }
    guard let effect = effect(parts, following: schema) else { return nil }
    return NotificationAction(
      name: entry.name, titles: titles.map { $0 ?? .snoozeDefault } ?? .snoozeDefault,
      effect: effect)
  }

  private static func isName(_ name: String) -> Bool {
    name.utf8.count <= nameBytesMax
      && name.allSatisfy {
        $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_")
      }
  }

  // MARK: - Titles

  /// Reads `Taken`, or `{en: Taken, de: Genommen}`. Returns nil if it is invalid.
  private mutating func actionTitles(_ node: Node) -> ActionTitles? {
    guard node.mapping != nil else {
      return actionTitle(node).map { ActionTitles(language: language, texts: [language: $0]) }
    }
    var texts: [LanguageTag: String] = [:]
    for entry in keyedEntries(node, "title") {
      guard let language = language(entry.key, "a key of \"title\"") else { continue }
      texts[language] = actionTitle(entry.value)
    }
    if texts[language] == nil {
      report(node, "the title needs a text in \(language), the language of the catalog")
    }
    return ActionTitles(language: language, texts: texts)
  }

  private mutating func actionTitle(_ node: Node) -> String? {
    guard countText(at: node), let text = text(node, "a title") else { return nil }
    guard text.count <= Self.titleCharactersMax, !text.hasControlCharacters else {
      report(
        node,
        "the title of an action must have at most \(Self.titleCharactersMax) characters, on one "
          + "line")
      return nil
    }
    return text
  }

  // MARK: - Effects

  private mutating func effect(
    _ parts: [String: Node], following schema: EventSchema?
  ) -> NotificationAction.Effect? {
    if let event = parts["event"] {
      let undo = parts["undo"].map { actionEvent($0, following: schema) }
      guard let event = actionEvent(event, following: schema) else { return nil }
      return .event(event, undo: undo ?? nil)
    }
    if let node = parts["snooze"] { return snooze(node).map { .snooze($0) } }
    return parts["set"].flatMap { changes($0) }.map { .settings($0) }
  }

  private mutating func snooze(_ node: Node) -> TimeSpan? {
    guard let span = span(node, "snooze") else { return nil }
    guard span >= .minutes(1), span <= .days(30) else {
      report(node, "snooze must be from 1m to 30d; it is \(node.string ?? "")")
      return nil
    }
    return span
  }

  /// Reads the event that an action reports. A recipient must be allowed to report this event, and
  /// the followed event must have all fields that it requires.
  private mutating func actionEvent(
    _ node: Node, following schema: EventSchema?
  ) -> ActionEvent? {
    let name = node.string ?? ""
    guard let reported = catalog.event(name), !reported.isCopy else {
      let known = catalog.events.filter { $0.isOwnAct && !$0.isCopy }.map(\.type)
      report(
        node,
        "\"\(name)\" is not an event" + Reminders.hint(name, known)
          + "; an action reports an event that is marked from: recipient")
      return nil
    }
    guard reported.isOwnAct else {
      report(
        node,
        "a recipient may not report \"\(name)\"; mark the event with from: recipient, or name "
          + "another")
      return nil
    }
    let fillable = Set((schema?.fields ?? []).filter(\.isFillable))
    let fields = reported.fields.filter { field in
      fillable.contains { $0.name == field.name && $0.kind == field.kind }
    }.map(\.name)
    for field in reported.fields where field.isRequired && !fields.contains(field.name) {
      report(
        node,
        "\"\(name)\" needs the field \"\(field.name)\", which the event of the reminder does not "
          + "have with this kind; name an event without it")
    }
    return ActionEvent(type: name, fields: fields)
  }

  /// Reads `{reminders.meals.enabled: false}`.
  private mutating func changes(_ node: Node) -> [SettingChange]? {
    guard let mapping = node.mapping, !mapping.isEmpty else {
      report(node, "set must be a mapping of preferences, such as {reminders.meals.enabled: false}")
      return nil
    }
    return mapping.compactMap { key, value in change(key, value) }
  }

  /// Reads the value of the preference whose path is `key`.
  mutating func change(_ key: Node, _ value: Node) -> SettingChange? {
    let path = key.string ?? ""
    guard let index = catalog.settings.index(of: path) else {
      report(
        key,
        "\"\(path)\" is not a preference" + hint(path, catalog.settings.definitions.map(\.path)))
      return nil
    }
    guard !catalog.categories.contains(where: { $0.isSwitch(path) && $0.isLocked }) else {
      report(key, "\"\(path)\" belongs to a locked category, which is always on; remove it")
      return nil
    }
    do {
      let number = try catalog.settings.definitions[index].kind.number(from: Self.json(value))
      return SettingChange(path: Symbol(path), value: number)
    } catch {
      report(value, "\"\(path)\" \(error.reason)")
      return nil
    }
  }

  private static func json(_ node: Node) -> JSONValue {
    if let sequence = node.sequence { return .array(sequence.map(json)) }
    if node.isNull { return .null }
    if let isOn = node.bool { return .bool(isOn) }
    if let number = node.wholeNumber { return .integer(Int64(number)) }
    return .string(node.string ?? "")
  }
}

extension EventSchema.Field {
  /// Whether actions can report the field's value, and messages to other people can contain it.
  var isFillable: Bool {
    switch kind {
    case .identifier, .instant, .date, .text, .number, .flag: true
    case .person, .place, .preview, .recipient, .list, .plan, .rememberedNumber: false
    }
  }
}

extension Category {
  /// Returns whether a path is one of the category's switches.
  fileprivate func isSwitch(_ path: String) -> Bool { path.hasPrefix("categories.\(name).") }
}
