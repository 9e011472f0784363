import Engine
import HTTPTypes
import HummingbirdCore
import JSON
package import Reminders

/// The names that the loaded catalogs declare, for who has to choose one.
struct CatalogRoute: Sendable {
  let service: any ReminderService

  var route: Route { Route(.get, "/v1/catalog", .catalog, answer: .observer(answer)) }

  private func answer(_ call: Call) async throws -> Response {
    Response(NamesPayload.self, service.planner.catalog)
  }
}

package struct NamesPayload: Payload {
  package typealias Value = Catalog
  package static let shape = PayloadShape(Self())

  package let catalogs = Member("catalogs", .list(.text)) { $0.names }
  package let categories = Member("categories", .list(.text)) { $0.categories.map(\.name) }
  package let reminders = Member("reminders", .list(.text)) { $0.reminders.map(\.identifier) }
  package let events = Member("events", .list(.text)) { $0.events.map(\.type) }
  package let presets = Member("presets", .list(.text)) { $0.presets.map(\.name) }
  package let channels = Member("channels", .list(.text)) { _ in Channel.allCases.map(\.name) }
}

extension Operation {
  static let catalog = Operation(
    identifier: "catalog", summary: "The names that the loaded catalogs declare",
    answers: [Answer("Names, for who has to choose one", .of(NamesPayload.self))])
}
