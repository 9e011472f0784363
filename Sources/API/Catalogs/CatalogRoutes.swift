import Engine
import HTTPTypes
import HummingbirdCore
import JSON
package import Reminders

/// Lists the loaded catalogs, shows the source of one, and checks a draft.
struct CatalogRoutes: Sendable {
  let work: HeavyWork
  let limits: APILimits
  private var service: any ReminderService { work.service }

  var routes: [Route] {
    [
      Route(.get, "/v1/catalogs", .catalogs, answer: .observer(list)),
      Route(.post, "/v1/catalog-checks", .checkCatalog, answer: .support(check)),
      Route(.get, "/v1/catalogs/{catalog}", .catalogSource, answer: .observer(show)),
    ]
  }

  private func list(_ call: Call) async throws -> Response {
    let catalog = service.planner.catalog
    let loaded = zip(catalog.catalogNames, catalog.sources).map(LoadedCatalogPayload.Value.init)
    return Response(LoadedCatalogsPayload.self, loaded)
  }

  private func show(_ call: Call) async throws -> Response {
    let catalog = service.planner.catalog
    let name = call.segments[0]
    guard let index = catalog.catalogNames.firstIndex(of: name),
      catalog.sources.indices.contains(index)
    else {
      throw Problem(
        .unknownPath,
        "no catalog \"\(name.shortened)\" is loaded; loaded are "
          + catalog.catalogNames.joined(separator: ", "))
    }
    return Response(
      CatalogPayload.self,
      ShownCatalog(name: name, source: catalog.sources[index].text, catalog: catalog))
  }

  private func check(_ call: Call) async throws -> Response {
    let body = try await call.body(CatalogBody.self, within: limits)
    let draft = try CatalogDraft(
      body.source, named: body.name, among: service.planner.catalog)
    let result = try await work.run(for: call) { service throws(ServiceUnavailable) in
      try await service.work(.trial) { draft.read() }
    }
    if case .failure(let errors) = result {
      return Response(CheckPayload.self, draft.faults(errors))
    }
    return Response(CheckPayload.self, [])
  }
}

struct CatalogBody: RequestPayload {
  static let shape = BodyShape(Self())

  let name = Member("name", .catalogName, "The catalog to replace; a new name adds a catalog")
  let source = Member("source", .catalogText, "YAML; at most 256 KiB")
}

extension InputKind where Content == String {
  static var catalogName: Self {
    let length = 1...64
    return text(.text(length), "the catalog's name") { length.contains($0.unicodeScalars.count) }
  }
  /// The text of a catalog. `CatalogDraft` limits its length.
  static var catalogText: Self { text(.text, "the catalog's text") { _ in true } }
}

extension Operation {
  static let catalogs = Operation(
    identifier: "catalogs", summary: "The loaded catalogs",
    answers: [Answer("The catalogs, by name", .of(LoadedCatalogsPayload.self))])

  static let catalogSource = Operation(
    identifier: "catalogSource", summary: "The source and the declarations of a loaded catalog",
    details:
      "Titles are in the catalog's own language. For a recipient's language, use their settings.",
    answers: [Answer("The catalog", .of(CatalogPayload.self))], problems: [.unknownPath])

  static let checkCatalog = Operation(
    identifier: "checkCatalog",
    summary: "Validate a draft of a catalog; nothing is changed",
    body: Body(
      Content(
        schema: .of(CatalogBody.self),
        example: ["name": "imanpath", "source": "catalog: imanpath\ncategories: {}\n"])),
    answers: [Answer("The errors, if any", .of(CheckPayload.self))], problems: [.invalidBody])
}

/// Lists the names that the loaded catalogs declare, for choices in clients.
struct CatalogNamesRoute: Sendable {
  let service: any ReminderService

  var route: Route { Route(.get, "/v1/catalog", .catalog, answer: .observer(answer)) }

  private func answer(_ call: Call) async throws -> Response {
    Response(NamesPayload.self, service.planner.catalog)
  }
}

package struct NamesPayload: Payload {
  package typealias Value = Catalog
  package static let shape = PayloadShape(Self())

  package let catalogs = Member("catalogs", .list(.text)) { $0.catalogNames }
  package let categories = Member("categories", .list(.text)) { $0.categories.map(\.name) }
  package let reminders = Member("reminders", .list(.text)) { $0.reminders.map(\.identifier) }
  package let events = Member("events", .list(.text)) { $0.events.map(\.type) }
  package let presets = Member("presets", .list(.text)) { $0.presets.map(\.name) }
  package let channels = Member("channels", .list(.text)) { _ in Channel.allCases.map(\.name) }
}

extension Operation {
  static let catalog = Operation(
    identifier: "catalog", summary: "The names that the loaded catalogs declare",
    answers: [Answer("The names, by kind", .of(NamesPayload.self))])
}
