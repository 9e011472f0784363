import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import Reminders

/// The loaded catalogs as they are written, and whether a text would be one.
struct CatalogRoutes: Sendable {
  let service: any ReminderService
  let limits: APILimits

  var routes: [Route] {
    [
      Route(.get, "/v1/catalogs", .catalogs, answer: .observer(list)),
      Route(.post, "/v1/catalog-checks", .checkCatalog, answer: .support(check)),
      Route(.get, "/v1/catalogs/{catalog}", .catalogSource, answer: .observer(show)),
    ]
  }

  private func list(_ call: Call) async throws -> Response {
    let catalog = service.planner.catalog
    return Response { writer in
      writer.beginObject()
      writer.key(constant: "catalogs")
      writer.beginArray()
      for (name, source) in zip(catalog.names, catalog.sources) {
        writer.beginObject()
        writer.member("name", name)
        writer.member("bytes", source.text.utf8.count)
        writer.endObject()
      }
      writer.endArray()
      writer.endObject()
    }
  }

  private func show(_ call: Call) async throws -> Response {
    let catalog = service.planner.catalog
    let name = call.segments[0]
    guard let index = catalog.names.firstIndex(of: name), catalog.sources.indices.contains(index)
    else {
      throw Problem(
        .unknownPath,
        "no catalog \"\(name.shortened)\" is loaded; loaded are "
          + catalog.names.joined(separator: ", "))
    }
    let (text, own) = (catalog.sources[index].text, catalog.reminders(ofFile: name))
    return Response { writer in
      writer.beginObject()
      writer.member("name", name)
      writer.member("source", text)
      catalog.write(categoriesOf: own, to: &writer)
      catalog.write(groupsOf: own, to: &writer)
      writer.endObject()
    }
  }

  private func check(_ call: Call) async throws -> Response {
    let body = try JSONObject(
      await call.body(within: limits), within: limits, known: ["name", "source"])
    let draft = try CatalogDraft(body, among: service.planner.catalog)
    let result: Result<Catalog, CatalogErrors>
    do {
      result = try await service.work { draft.read() }
    } catch {
      throw Problem(error)
    }
    return Response { writer in
      writer.beginObject()
      switch result {
      case .success:
        writer.member("sound", true)
        draft.write([], to: &writer)
      case .failure(let errors):
        writer.member("sound", false)
        draft.write(draft.problems(errors), to: &writer)
      }
      writer.endObject()
    }
  }
}

extension CatalogDraft {
  /// Reads `name` and `source`.
  init(_ body: JSONObject, among catalog: Catalog) throws(Problem) {
    guard let name = body["name"]?.stringValue, (1...64).contains(name.utf8.count) else {
      throw Problem(.invalidBody, "must be the catalog's name", path: "name")
    }
    guard let text = body["source"]?.stringValue else {
      throw Problem(.invalidBody, "must be the catalog's text", path: "source")
    }
    try self.init(text, named: name, among: catalog)
  }

  func write(_ problems: [Diagnostic], to writer: inout JSONWriter) {
    writer.key(constant: "problems")
    writer.beginArray()
    for problem in problems {
      writer.beginObject()
      // The path of a file is nobody's business here.
      writer.member("here", problem.file == name)
      writer.member("line", problem.line)
      writer.member("column", problem.column)
      writer.member("message", problem.message)
      writer.endObject()
    }
    writer.endArray()
  }
}

extension Catalog {
  /// A member: the categories of some reminders.
  fileprivate func write(categoriesOf reminders: [Reminder], to writer: inout JSONWriter) {
    writer.key(constant: "categories")
    writer.beginArray()
    for index in Set(reminders.map(\.category)).sorted() {
      let category = categories[index]
      writer.beginObject()
      writer.member("name", category.name)
      writer.member("title", category.title)
      writer.member("description", category.description.map { .string($0) } ?? .null)
      writer.member("urgency", "\(category.urgency)")
      writer.member("locked", !category.canBeSwitchedOff)
      writer.member("channels", .array(category.channels.map { .string($0.channel.name) }))
      writer.endObject()
    }
    writer.endArray()
  }

  /// A member: the groups of some reminders, with what a person may set of each.
  fileprivate func write(groupsOf reminders: [Reminder], to writer: inout JSONWriter) {
    let suffix = ".enabled"
    let switches = Set(reminders.map { settings.definitions[$0.isEnabled].path })
    writer.key(constant: "groups")
    writer.beginArray()
    for path in switches.sorted() where path.hasSuffix(suffix) {
      let group = String(path.dropLast(suffix.utf8.count))
      writer.beginObject()
      writer.member("name", String(group.split(separator: ".").last ?? ""))
      write(titleOf: group, to: &writer)
      writer.key(constant: "parameters")
      writer.beginArray()
      for definition in settings.definitions
      where definition.path.hasPrefix(group + ".") && definition.path != path {
        write(definition, of: group, to: &writer)
      }
      writer.endArray()
      writer.endObject()
    }
    writer.endArray()
  }

  private func write(
    _ definition: SettingsSchema.Definition, of group: String, to writer: inout JSONWriter
  ) {
    writer.beginObject()
    writer.member("name", String(definition.path.dropFirst(group.utf8.count + 1)))
    write(titleOf: definition.path, to: &writer)
    writer.member("choices", .array(definition.kind.words.map { .string($0) }))
    writer.endObject()
  }

  /// Two members, in the catalog's own language.
  private func write(titleOf path: String, to writer: inout JSONWriter) {
    let title = titles.title(of: path, in: nil)
    writer.member("title", title.map { .string($0.title) } ?? .null)
    writer.member("description", title?.description.map { .string($0) } ?? .null)
  }
}

extension Operation {
  static let catalogs = Operation(
    identifier: "catalogs", summary: "The loaded catalogs",
    answers: [
      Answer(
        "Each with its name",
        .object(
          .init("catalogs", .list(.object(.init("name", .text), .init("bytes", .count))))))
    ])

  static let catalogSource = Operation(
    identifier: "catalogSource", summary: "A loaded catalog: its text, and what it declares",
    details: "Titles are in the catalog's own language; a person's settings have them in theirs.",
    answers: [
      Answer(
        "The catalog",
        .object(
          .init("name", .text), .init("source", .text), .init("categories", .list(category)),
          .init("groups", .list(group))))
    ],
    problems: [.unknownPath])

  private static let category = Schema.object(
    .init("name", .text), .init("title", .text), .init("description", Schema.text.orNull),
    .init("urgency", .word(Urgency.allCases.map { "\($0)" })),
    .init("locked", .boolean.described("Whether nothing switches it off")),
    .init(
      "channels",
      Schema.list(.text).described("In the order in which it falls back to them")))

  private static let titled: [Schema.Property] = [
    .init("name", .text), .init("title", Schema.text.orNull),
    .init("description", Schema.text.orNull),
  ]

  private static let group = Schema.object(
    titled + [
      .init(
        "parameters",
        .list(
          .object(
            titled + [
              .init("choices", Schema.list(.text).described("Empty where it is none of a few"))
            ])))
    ])

  static let checkCatalog = Operation(
    identifier: "checkCatalog",
    summary: "Whether a text would be sound in the place of a catalog; nothing is changed",
    body: Body(
      Content(
        schema: .object(catalogText),
        example: ["name": "imanpath", "source": "catalog: imanpath\ncategories: {}\n"])),
    answers: [
      Answer(
        "What is wrong with it",
        .object(.init("sound", .boolean), .init("problems", catalogProblems)))
    ],
    problems: [.invalidBody])

  static let catalogText: [Schema.Property] = [
    .init("name", .text.described("In whose place it is; a further one if there is none")),
    .init("source", .text.described("YAML; at most 256 KiB")),
  ]

  static let catalogProblems = Schema.list(
    .object(
      .init("here", .boolean.described("Whether it is in the text, not in another catalog")),
      .init("line", .count), .init("column", .count), .init("message", .text)))
}
