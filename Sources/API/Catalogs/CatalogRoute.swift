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
    let catalog = service.planner.catalog
    let lists: [(StaticString, [String])] = [
      ("catalogs", catalog.names), ("categories", catalog.categories.map(\.name)),
      ("reminders", catalog.reminders.map(\.identifier)),
      ("events", catalog.events.map(\.type)), ("presets", catalog.presets.map(\.name)),
      ("channels", Channel.allCases.map(\.name)),
    ]
    return Response { writer in
      writer.beginObject()
      for (name, words) in lists {
        writer.key(constant: name)
        writer.beginArray()
        for word in words { writer.value(word) }
        writer.endArray()
      }
      writer.endObject()
    }
  }
}

extension Operation {
  static let catalog = Operation(
    identifier: "catalog", summary: "The names that the loaded catalogs declare",
    answers: [
      Answer(
        "Names, for who has to choose one",
        .object(
          .init("catalogs", .list(.text)), .init("categories", .list(.text)),
          .init("reminders", .list(.text)), .init("events", .list(.text)),
          .init("presets", .list(.text)), .init("channels", .list(.text))))
    ])
}
