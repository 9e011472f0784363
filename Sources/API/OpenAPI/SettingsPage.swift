import CivilTime
import JSON
import Reminders

/// The schema of preferences, extended for a settings page (rule P8): with titles for every setting
/// and choice, sections, an order, defaults, and the reasons why a setting cannot change or has no
/// effect.
struct SettingsPage {
  let catalog: Catalog
  /// The language of titles; nil for the catalogs' own language.
  let language: LanguageTag?
  /// The channels that no sink carries.
  let unroutedChannels: ChannelSet
  /// The settings of a recipient who has changed none.
  private let defaults: Settings

  init(catalog: Catalog, language: LanguageTag?, unroutedChannels: ChannelSet) {
    (self.catalog, self.language, self.unroutedChannels) = (catalog, language, unroutedChannels)
    defaults = Settings(schema: catalog.settings, registers: [])
  }

  var schema: Schema {
    var json = decorated(catalog.preferencesSchema(in: language).json, at: "")
    let properties = json["properties"]?.objectValue ?? JSONObject()
    json["x-sections"] = .array(Self.sections.compactMap { section(of: $0, among: properties) })
    return Schema(json)
  }

  // MARK: - Sections

  /// The sections in order, each with its members of the document.
  private static let sections: [(name: String, members: [String])] = [
    ("general", ["master", "preset", "channels", "dayStart"]), ("reminders", ["reminders"]),
    ("categories", ["categories"]), ("quietHours", ["quietHours"]), ("vacation", ["vacation"]),
    ("calendar", ["calendar"]), ("caps", ["caps"]), ("bundling", ["bundling"]),
    ("email", ["email"]), ("sms", ["sms"]), ("hints", ["hints"]),
  ]

  /// Returns a section of the page; nil if the document has none of the section's members.
  private func section(
    of section: (name: String, members: [String]), among properties: JSONObject
  ) -> JSONValue? {
    let members = section.members.filter { isShown(properties[$0]) }
    guard !members.isEmpty else { return nil }
    return [
      "id": .string(section.name), "title": .string(title(of: section.name) ?? section.name),
      "members": .array(members.map { .string($0) }),
    ]
  }

  /// Whether a member is shown. An object without settings is not, such as the groups of a catalog
  /// that declares none.
  private func isShown(_ member: JSONValue?) -> Bool {
    guard let member else { return false }
    return member["properties"]?.objectValue.map { !$0.isEmpty } ?? true
  }

  // MARK: - Settings

  /// Returns a schema with the page's keywords, which the schemas of its properties get too.
  private func decorated(_ schema: JSONObject, at path: String) -> JSONObject {
    var json = schema
    if json["title"] == nil, let title = title(of: path) { json["title"] = .string(title) }
    for (keyword, value) in keywords(of: path) { json[keyword] = value }
    if let group = catalog.settings.entityGroup(at: path) {
      json["additionalProperties"] = .object(entitySchema(of: group).orNull.json)
    }
    guard let properties = json["properties"]?.objectValue else { return json }
    var members = JSONObject()
    for (order, member) in properties.enumerated() {
      let path = path.isEmpty ? member.key : "\(path).\(member.key)"
      var memberSchema = decorated(member.value.objectValue ?? JSONObject(), at: path)
      if memberSchema["title"] == nil {
        memberSchema["title"] = fallbackTitle(member.key, of: json)
      }
      memberSchema["x-order"] = .integer(Int64(order))
      members[member.key] = .object(memberSchema)
    }
    json["properties"] = .object(members)
    return json
  }

  private func keywords(of path: String) -> [(String, JSONValue)] {
    if path == "preset" {
      let names = catalog.presets.map(\.name) + [Preset.custom]
      return [("x-kind", "choice"), titles(names, at: path)]
    }
    if path == "quietHours.windows" {
      return [("x-kind", "windows"), titles(Weekday.allCases.map(\.name), at: path)]
    }
    if path == "vacation.announced" { return [("x-kind", "vacations")] }
    if catalog.settings.entityGroup(at: path) != nil { return [("x-kind", "entities")] }
    if ["quietHours.active", "custom"].contains(path) { return [("readOnly", true)] }
    guard let index = catalog.settings.index(of: path) else { return [] }
    let definition = catalog.settings.definitions[index]
    var keywords: [(String, JSONValue)] = [
      ("x-kind", .string(definition.kind.name)),
      ("default", definition.kind.value(of: defaults[index])),
    ]
    if !words(of: definition).isEmpty { keywords.append(titles(words(of: definition), at: path)) }
    if definition.isLocked {
      keywords += [("readOnly", true), ("const", true), ("x-locked", reason("locked"))]
    }
    if path == BuiltInSetting.capPerDay.path, let greatest = catalog.settings.greatestCap {
      keywords.append(("x-maximum", .integer(greatest)))
    }
    if path == BuiltInSetting.minimumInterval.path, let least = catalog.settings.leastInterval {
      keywords.append(("x-minimum", definition.kind.value(of: least)))
    }
    if let channel = channel(of: path), unroutedChannels.contains(ChannelSet(channel)) {
      keywords.append(("x-unavailable", reason("unavailable")))
    }
    return keywords
  }

  /// The channel that a setting under `channels` or `categories` switches; nil for other settings.
  private func channel(of path: String) -> Channel? {
    let parts = path.split(separator: ".")
    guard parts.first == "channels" || parts.first == "categories" else { return nil }
    return parts.last.flatMap { Channel(name: String($0)) }
  }

  // MARK: - Settings of single entities

  /// Returns the schema of the settings of one entity, with the page's keywords.
  private func entitySchema(of group: EntityGroup) -> Schema {
    var entity = catalog.entitySchema(of: group, in: language).json
    var members = JSONObject()
    for (order, definition) in group.settings.enumerated() {
      var member = entity["properties"]?[definition.name]?.objectValue ?? JSONObject()
      if member["title"] == nil { member["title"] = .string(title(of: definition, in: group)) }
      member["x-kind"] = .string(definition.kind.name)
      if case .channels(let channels) = definition.role { add(channels, to: &member) }
      member["x-order"] = .integer(Int64(order))
      members[definition.name] = .object(member)
    }
    entity["properties"] = .object(members)
    return Schema(entity)
  }

  private func title(of definition: EntityDefinition, in group: EntityGroup) -> String {
    let title =
      switch definition.role {
      case .enabled: catalog.titles.title(of: group.groupPath, in: language)?.title
      case .channels: SettingsWords.text("channels", in: language)
      case .parameter: SettingsWords.text("parameter.\(definition.name)", in: language)
      }
    return title ?? definition.name
  }

  /// Adds the titles of the channels that an entity may have, and the reasons why some have no
  /// effect.
  private func add(_ channels: [Channel], to member: inout JSONObject) {
    var (titles, reasons) = (JSONObject(), JSONObject())
    for channel in channels {
      let title = SettingsWords.text("channels.\(channel.name)", in: language)
      titles[channel.name] = .string(title ?? channel.name)
      if unroutedChannels.contains(ChannelSet(channel)) {
        reasons[channel.name] = reason("unavailable")
      }
    }
    member["x-titles"] = .object(titles)
    if !reasons.isEmpty { member["x-unavailable-choices"] = .object(reasons) }
  }

  // MARK: - Texts

  private func title(of path: String) -> String? {
    if let word = SettingsWords.text(path, in: language) { return word }
    guard path.hasPrefix("categories."), let channel = channel(of: path) else { return nil }
    return SettingsWords.text("channels.\(channel.name)", in: language)
  }

  /// The title of a member without a title in the catalog. The switch of a group gets the group's
  /// title.
  private func fallbackTitle(_ name: String, of parent: JSONObject) -> JSONValue {
    if name == "enabled", let title = parent["title"] { return title }
    return .string(SettingsWords.text("parameter.\(name)", in: language) ?? name)
  }

  private func words(of definition: SettingsSchema.Definition) -> [String] {
    definition.kind == .days ? Weekday.allCases.map(\.name) : definition.kind.words
  }

  /// The titles of choices: the catalogs' own, or the built-in ones.
  private func titles(_ words: [String], at path: String) -> (String, JSONValue) {
    var titles = JSONObject()
    for word in words {
      let catalogTitle = catalog.titles.title(of: "\(path).\(word)", in: language)?.title
      let title = catalogTitle ?? SettingsWords.text("choice.\(word)", in: language) ?? word
      titles[word] = .string(title)
    }
    return ("x-titles", .object(titles))
  }

  private func reason(_ name: String) -> JSONValue {
    .string(SettingsWords.text("reason.\(name)", in: language) ?? name)
  }
}

extension SettingKind {
  /// The name of the kind of control that the setting needs.
  fileprivate var name: String {
    switch self {
    case .toggle: "toggle"
    case .time: "time"
    case .times: "times"
    case .days: "days"
    case .date: "date"
    case .duration, .span: "duration"
    case .count, .limit: "number"
    case .counts: "numbers"
    case .choice: "choice"
    case .selection: "selection"
    }
  }
}
