import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import Reminders

/// What the reminders of a catalog say, in every language, on data that is made up: of the loaded
/// one, or with another text in its place. Nothing is changed.
struct CatalogMessagesRoute: Sendable {
  let service: any ReminderService
  let limits: APILimits
  let now: @Sendable () -> Instant

  var route: Route {
    Route(.post, "/v1/catalog-messages", .catalogMessages, answer: .support(answer))
  }

  private func answer(_ call: Call) async throws -> Response {
    let body = try JSONObject(
      await call.body(within: limits), within: limits, known: ["name", "source"])
    let planner = service.planner
    guard body["source"] != nil else {
      let name = body["name"]?.stringValue ?? ""
      guard planner.catalog.names.contains(name) else {
        let names = planner.catalog.names.joined(separator: ", ")
        throw Problem(.invalidBody, "must be that of a loaded catalog: \(names)", path: "name")
      }
      return try await say(name) { .success(planner.catalog) }
    }
    let draft = try CatalogDraft(body, among: planner.catalog)
    return try await say(draft.name) {
      draft.read().mapError { errors in
        Problem(
          .invalidBody,
          "the catalog is not sound: \(draft.problems(errors).first?.message ?? "")",
          path: "source")
      }
    }
  }

  private func say(
    _ name: String, _ catalog: @escaping @Sendable () -> Result<Catalog, Problem>
  ) async throws -> Response {
    let (now, zone) = (now(), service.planner.defaultZone)
    let result: Result<CatalogMessages, Problem>
    do {
      result = try await service.work {
        catalog().map { CatalogMessages($0, of: name, at: now, in: zone) }
      }
    } catch {
      throw Problem(error)
    }
    let messages = try result.get()
    return Response { messages.write(to: &$0) }
  }
}

/// What the reminders of a catalog say.
private struct CatalogMessages: Sendable {
  let languages: [LanguageTag]
  let reminders: [(reminder: Reminder, category: String, messages: [[MessageSample]])]

  init(_ catalog: Catalog, of file: String, at now: Instant, in zone: Zone) {
    // The file may call itself otherwise than it is called.
    let index = catalog.sources.firstIndex { $0.file == file }
    let own = catalog.reminders(ofFile: index.map { catalog.names[$0] } ?? file)
    languages = catalog.languages(of: own)
    reminders = own.map {
      ($0, catalog.categories[$0.category].name, catalog.samples(of: $0, at: now, in: zone))
    }
  }

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("languages", .array(languages.map { .string($0.description) }))
    writer.key(constant: "reminders")
    writer.beginArray()
    for (reminder, category, messages) in reminders {
      writer.beginObject()
      writer.member("reminder", reminder.identifier)
      writer.member("category", category)
      writer.key(constant: "messages")
      writer.beginArray()
      for texts in messages { Self.write(texts, to: &writer) }
      writer.endArray()
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
  }

  private static func write(_ texts: [MessageSample], to writer: inout JSONWriter) {
    writer.beginArray()
    for text in texts {
      writer.beginObject()
      writer.member("language", text.language.description)
      writer.member("title", text.title)
      writer.member("body", text.body)
      writer.endObject()
    }
    writer.endArray()
  }
}

extension Operation {
  static let catalogMessages = Operation(
    identifier: "catalogMessages",
    summary: "What the reminders of a catalog say, in every language; nothing is changed",
    details: """
      Of the loaded one (name), or with another text (source) in its place. The data is made up: \
      texts of events are the names of their fields in braces.
      """,
    body: Body(
      Content(
        schema: .object(
          .init("name", catalogText[0].schema), .optional("source", catalogText[1].schema)),
        example: ["name": "imanpath"])),
    answers: [
      Answer(
        "Each message in the languages that it has",
        .object(
          .init("languages", Schema.list(.text).described("All that the catalog has anything in")),
          .init(
            "reminders",
            .list(
              .object(
                .init("reminder", .text), .init("category", .text),
                .init("messages", .list(.list(text))))))))
    ],
    problems: [.invalidBody])

  private static let text = Schema.object(
    .init("language", .text.example("pt-BR")), .init("title", .text), .init("body", .text))
}
