import JSON
import Reminders

struct LoadedCatalogsPayload: Payload {
  typealias Value = [LoadedCatalogPayload.Value]
  static let shape = PayloadShape(Self())

  let catalogs = Member("catalogs", .list(.payload(LoadedCatalogPayload.self))) { $0 }
}

struct LoadedCatalogPayload: Payload {
  struct Value {
    let name: String
    let source: CatalogSource
  }

  static let shape = PayloadShape(Self())

  let name = Member("name", .text) { $0.name }
  let bytes = Member("bytes", .count) { $0.source.text.utf8.count }
}

// MARK: - A catalog with its declarations

/// One of the loaded catalogs, with its declarations.
struct ShownCatalog {
  let name: String
  /// The text of the file, as YAML.
  let source: String
  /// The merged catalog of all files.
  let catalog: Catalog

  fileprivate var reminders: [Reminder] { catalog.reminders(ofCatalog: name) }

  fileprivate var categories: [Category] {
    Set(reminders.map(\.category)).sorted().map { catalog.categories[$0] }
  }

  /// The settings groups of the reminders, each with its parameters.
  fileprivate var groups: [GroupPayload.Value] {
    let suffix = ".enabled"
    let switchPaths = Set(reminders.map { catalog.settings.definitions[$0.groupSwitch].path })
    return switchPaths.sorted().filter { $0.hasSuffix(suffix) }.map { path in
      let group = String(path.dropLast(suffix.utf8.count))
      let parameters = catalog.settings.definitions.filter {
        $0.path.hasPrefix(group + ".") && $0.path != path
      }
      return GroupPayload.Value(
        titled: Titled(String(group.split(separator: ".").last ?? ""), at: group, in: catalog),
        parameters: parameters.map { definition in
          let name = String(definition.path.dropFirst(group.utf8.count + 1))
          return ParameterPayload.Value(
            titled: Titled(name, at: definition.path, in: catalog), choices: definition.kind.words)
        })
    }
  }
}

struct CatalogPayload: Payload {
  typealias Value = ShownCatalog
  static let shape = PayloadShape(Self())

  let name = Member("name", .text) { $0.name }
  let source = Member("source", .text) { $0.source }
  let categories = Member("categories", .list(.payload(CategoryPayload.self))) { $0.categories }
  let groups = Member("groups", .list(.payload(GroupPayload.self))) { $0.groups }
}

struct CategoryPayload: Payload {
  typealias Value = Category
  static let shape = PayloadShape(Self())

  let name = Member("name", .text) { $0.name }
  let title = Member("title", .text) { $0.title }
  let description = Member("description", orNull: .text) { $0.description }
  let urgency = Member("urgency", .word(Urgency.allCases.map { "\($0)" })) { "\($0.urgency)" }
  let locked = Member("locked", .boolean, "Whether the category cannot be switched off") {
    !$0.canBeSwitchedOff
  }
  let channels = Member("channels", .list(.text), "The channels, in the order of fallback") {
    $0.channels.map(\.channel.name)
  }
}

struct GroupPayload: Payload {
  struct Value {
    let titled: Titled
    let parameters: [ParameterPayload.Value]
  }

  static let shape = PayloadShape(Self())

  let titled = Members(TitledPayload.self) { $0.titled }
  let parameters = Member("parameters", .list(.payload(ParameterPayload.self))) { $0.parameters }
}

struct ParameterPayload: Payload {
  struct Value {
    let titled: Titled
    let choices: [String]
  }

  static let shape = PayloadShape(Self())

  let titled = Members(TitledPayload.self) { $0.titled }
  let choices = Member("choices", .list(.text), "The allowed values; empty for any") { $0.choices }
}

/// A settings group or parameter, with its title in the catalog's own language.
struct Titled {
  let name: String
  /// The title; nil if the catalog declares none.
  let title: Titles.Title?

  init(_ name: String, at path: String, in catalog: Catalog) {
    self.name = name
    title = catalog.titles.title(of: path, in: nil)
  }
}

struct TitledPayload: Payload {
  typealias Value = Titled
  static let shape = PayloadShape(Self())

  let name = Member("name", .text) { $0.name }
  let title = Member("title", orNull: .text) { $0.title?.title }
  let description = Member("description", orNull: .text) { $0.title?.description }
}

// MARK: - Checks

/// The result of a check: the faults of a draft; none if it is valid.
struct CheckPayload: Payload {
  typealias Value = [Fault]
  static let shape = PayloadShape(Self())

  let sound = Member("sound", .boolean) { $0.isEmpty }
  let problems = Member("problems", .list(.payload(FaultPayload.self))) { $0 }
}
