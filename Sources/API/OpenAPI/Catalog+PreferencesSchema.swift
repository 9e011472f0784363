import CivilTime
import JSON
import Reminders

extension Catalog {
  /// The schema of the service's own preferences document (rule P1): the built-in settings and
  /// those of the loaded catalogs. A write may omit any part.
  var preferencesSchema: Schema { preferencesSchema(in: nil) }

  /// The schema with the titles of categories, groups, parameters and choices (rule G4).
  ///
  /// - Parameter language: the language of the titles; nil for the catalogs' own language.
  func preferencesSchema(in language: LanguageTag?) -> Schema {
    var tree = SchemaTree()
    for definition in settings.definitions {
      var schema = definition.kind.schema.titled(titles.title(of: definition.path, in: language))
        .withChoiceTitles(of: definition, titles, in: language)
      // Rule P7: quiet hours have at least one day.
      if definition.path == BuiltInSetting.quietDays.path { schema.json["minItems"] = 1 }
      tree.add(schema, at: definition.path.split(separator: ".")[...])
    }
    for path in titledPaths {
      tree.setTitle(titles.title(of: path, in: language), at: path.split(separator: ".")[...])
    }
    var customPreset = SchemaTree()
    for definition in settings.definitions where definition.isSwitch {
      customPreset.add(.boolean, at: definition.path.split(separator: ".")[...])
    }
    let isActive = Schema.boolean.described("Whether quiet hours are active now; computed")
    tree.add(isActive, at: ["quietHours", "active"])
    tree.add(.quietWindows, at: ["quietHours", "windows"])
    tree.add(.announcedVacations, at: ["vacation", "announced"])
    for group in settings.entityGroups {
      tree.add(
        .entities(entitySchema(of: group, in: language)),
        at: group.path.split(separator: ".")[...])
    }
    tree.add(
      .word(presets.map(\.name) + [Preset.custom]).described("The preset that the switches match"),
      at: ["preset"])
    tree.add(
      customPreset.schema.orNull.described("The switches of the recipient's own preset"),
      at: ["custom"])
    return tree.schema
  }

  /// The schema of the settings of one entity of a group (rule P10).
  func entitySchema(of group: EntityGroup, in language: LanguageTag?) -> Schema {
    .object(
      group.settings.map { definition in
        let title = titles.title(of: "\(group.groupPath).\(definition.name)", in: language)
        return .optional(definition.name, definition.kind.schema.orNull.titled(title))
      })
  }
}

/// Builds nested objects from the paths of their leaves.
private struct SchemaTree {
  /// The schema at this path; nil if the path is that of an object.
  private var leaf: Schema?
  private var children: [(name: String, tree: SchemaTree)] = []
  /// The title of the object; nil if it has none.
  private var title: Titles.Title?

  mutating func add(_ schema: Schema, at path: ArraySlice<Substring>) {
    guard let name = path.first.map(String.init) else {
      leaf = schema
      return
    }
    let index = children.firstIndex { $0.name == name } ?? children.count
    if index == children.count { children.append((name, SchemaTree())) }
    children[index].tree.add(schema, at: path.dropFirst())
  }

  /// Sets the title of an existing object.
  mutating func setTitle(_ title: Titles.Title?, at path: ArraySlice<Substring>) {
    guard let name = path.first.map(String.init) else {
      self.title = title
      return
    }
    guard let index = children.firstIndex(where: { $0.name == name }) else { return }
    children[index].tree.setTitle(title, at: path.dropFirst())
  }

  var schema: Schema {
    leaf ?? Schema.object(children.map { .optional($0.name, $0.tree.schema) }).titled(title)
  }
}

extension Schema {
  func titled(_ title: Titles.Title?) -> Schema {
    guard let title else { return self }
    var schema = described(title.description)
    schema.json["title"] = .string(title.title)
    return schema
  }

  /// Returns the schema with the titles of a setting's choices.
  fileprivate func withChoiceTitles(
    of definition: SettingsSchema.Definition, _ titles: Titles, in language: LanguageTag?
  ) -> Schema {
    var choiceTitles = JSONObject()
    for word in definition.kind.words {
      let title = titles.title(of: "\(definition.path).\(word)", in: language)
      if let title { choiceTitles[word] = .string(title.title) }
    }
    guard choiceTitles.first(where: { _ in true }) != nil else { return self }
    var schema = self
    schema.json["x-titles"] = .object(choiceTitles)
    return schema
  }
}

extension SettingKind {
  /// The JSON schema of the setting's values.
  var schema: Schema {
    switch self {
    case .toggle: .boolean
    case .time: .localTimeOfDay
    case .times: .list(.localTimeOfDay, atMost: NumberList.countMax)
    case .days: .list(.word(Weekday.allCases.map(\.name)))
    case .date: Schema.date.orNull
    case .duration: Schema.duration.orNull
    case .span: .duration
    case .count(let range): .integer(range)
    case .limit(let range): Schema.integer(range).orNull
    case .counts(let range): .list(.integer(range))
    case .choice(let words): .word(words)
    case .selection(let words): .list(.word(words))
    }
  }
}

extension Schema {
  /// The further windows of quiet hours (rule P9).
  fileprivate static let quietWindows = list(
    .object(
      .optional("days", list(.word(Weekday.allCases.map(\.name)))),
      .init("start", .localTimeOfDay),
      .init(
        "end",
        Schema(
          type: "string",
          ["pattern": "^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$", "examples": ["24:00"]]))),
    atMost: QuietWindow.countMax
  ).described("Further windows; days are all by default, and an end of 24:00 is that of the day")

  /// The announced vacations (rule V16).
  static let announcedVacations = Schema(
    type: "object", ["additionalProperties": .object(Schema.date.orNull.json)]
  ).described("The last date of each announced vacation by its first date; null cancels it")
    .example(["2026-07-01": "2026-07-14"])

  /// The settings of single entities of a group (rule P10).
  fileprivate static func entities(_ entity: Schema) -> Schema {
    Schema(type: "object", ["additionalProperties": .object(entity.orNull.json)])
      .described(
        "Settings of single entities by identifier; null makes an entity follow its group")
  }

  static let localTimeOfDay = Schema(
    type: "string", ["pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$", "examples": ["21:00"]])
}
