import CivilTime
import JSON
import Reminders

extension Catalog {
  /// The service's own preferences document (rule P1): the settings that every person has, and
  /// those of the loaded catalogs. In a write any part may be left out.
  var preferencesSchema: Schema {
    var tree = SchemaTree()
    for definition in settings.definitions {
      tree.add(definition.kind.schema, at: definition.path.split(separator: ".")[...])
    }
    var custom = SchemaTree()
    for definition in settings.definitions where definition.isSwitch {
      custom.add(.boolean, at: definition.path.split(separator: ".")[...])
    }
    let isActive = Schema.boolean.described("Whether the quiet hours are on just now; computed")
    tree.add(isActive, at: ["quietHours", "active"])
    tree.add(
      .word(presets.map(\.name) + [Preset.custom]).described("The preset that the switches match"),
      at: ["preset"])
    tree.add(
      custom.schema.orNull.described("The switches of the person's own preset"), at: ["custom"])
    return tree.schema
  }
}

/// Objects within objects, gathered from the paths of their leaves.
private struct SchemaTree {
  private var leaf: Schema?
  private var children: [(name: String, tree: SchemaTree)] = []

  mutating func add(_ schema: Schema, at path: ArraySlice<Substring>) {
    guard let name = path.first.map(String.init) else {
      leaf = schema
      return
    }
    let index = children.firstIndex { $0.name == name } ?? children.count
    if index == children.count { children.append((name, SchemaTree())) }
    children[index].tree.add(schema, at: path.dropFirst())
  }

  var schema: Schema {
    leaf ?? .object(children.map { .optional($0.name, $0.tree.schema) })
  }
}

extension SettingKind {
  /// What a setting may hold, in JSON.
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
  static let localTimeOfDay = Schema(
    type: "string", ["pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$", "examples": ["21:00"]])
}
