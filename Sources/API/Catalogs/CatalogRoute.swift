import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import Reminders

/// The names that the loaded catalogs declare, for who has to choose one.
struct CatalogRoute: Sendable {
  let service: any ReminderService

  var route: Route { Route(.get, "/v1/catalog", .catalog, answer: .observer(answer)) }

  private func answer(_ call: Call) async throws -> Response {
    Response(NamesPayload.self, service.planner.catalog)
  }
}

struct NamesPayload: Payload {
  typealias Value = Catalog
  static let shape = PayloadShape(Self())

  let catalogs = Member("catalogs", .list(.text)) { $0.names }
  let categories = Member("categories", .list(.text)) { $0.categories.map(\.name) }
  let reminders = Member("reminders", .list(.text)) { $0.reminders.map(\.identifier) }
  let events = Member("events", .list(.text)) { $0.events.map(\.type) }
  let presets = Member("presets", .list(.text)) { $0.presets.map(\.name) }
  let channels = Member("channels", .list(.text)) { _ in Channel.allCases.map(\.name) }
}

extension Operation {
  static let catalog = Operation(
    identifier: "catalog", summary: "The names that the loaded catalogs declare",
    answers: [Answer("Names, for who has to choose one", .of(NamesPayload.self))])
}
