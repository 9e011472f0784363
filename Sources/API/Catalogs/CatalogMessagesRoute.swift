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
  /// Knows what e-mails look like; nil where nobody does.
  let control: (any ServiceControl)?
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
    let mail = { @Sendable [control] (text: MessageSample, category: String) in
      control?.mail(saying: text, in: category)
    }
    let result: Result<CatalogMessages, Problem>
    do {
      result = try await service.work {
        catalog().map { CatalogMessages($0, of: name, at: now, in: zone, mail) }
      }
    } catch {
      throw Problem(error)
    }
    let messages = try result.get()
    return Response { messages.write(to: &$0) }
  }
}

/// What the reminders of a catalog say, and how that looks.
private struct CatalogMessages: Sendable {
  /// One message in one language.
  private struct Look {
    let sample: MessageSample
    let mail: MailSample?
  }

  private struct Said {
    let reminder: Reminder
    let category: String
    /// Those that it may go out on.
    let channels: [Channel]
    let messages: [[Look]]
  }

  let languages: [LanguageTag]
  private let reminders: [Said]

  init(
    _ catalog: Catalog, of file: String, at now: Instant, in zone: Zone,
    _ mail: (MessageSample, String) -> MailSample?
  ) {
    // The file may call itself otherwise than it is called.
    let index = catalog.sources.firstIndex { $0.file == file }
    let own = catalog.reminders(ofFile: index.map { catalog.names[$0] } ?? file)
    languages = catalog.languages(of: own)
    reminders = own.map { reminder in
      let category = catalog.categories[reminder.category]
      let channels = category.channels.map(\.channel).filter {
        reminder.channels.contains(ChannelSet($0))
      }
      let messages = catalog.samples(of: reminder, at: now, in: zone).map { texts in
        texts.map { text in
          Look(sample: text, mail: channels.contains(.email) ? mail(text, category.name) : nil)
        }
      }
      return Said(
        reminder: reminder, category: category.name, channels: channels, messages: messages)
    }
  }

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("languages", .array(languages.map { .string($0.description) }))
    writer.key(constant: "reminders")
    writer.beginArray()
    for said in reminders {
      writer.beginObject()
      writer.member("reminder", said.reminder.identifier)
      writer.member("category", said.category)
      writer.member("channels", .array(said.channels.map { .string($0.name) }))
      writer.key(constant: "messages")
      writer.beginArray()
      for looks in said.messages { Self.write(looks, to: &writer) }
      writer.endArray()
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
  }

  private static func write(_ looks: [Look], to writer: inout JSONWriter) {
    writer.beginArray()
    for look in looks {
      writer.beginObject()
      writer.member("language", look.sample.language.description)
      writer.member("title", look.sample.title)
      writer.member("body", look.sample.body)
      if let mail = look.mail { mail.write(to: &writer) }
      writer.endObject()
    }
    writer.endArray()
  }
}

extension MailSample {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.key(constant: "email")
    writer.beginObject()
    writer.member("subject", subject)
    writer.member("text", text)
    writer.member("html", html)
    writer.endObject()
  }
}

extension Operation {
  static let catalogMessages = Operation(
    identifier: "catalogMessages",
    summary: "What the reminders of a catalog say, in every language; nothing is changed",
    details: """
      Of the loaded one (name), or with another text (source) in its place. The data is made up: \
      texts of events are the names of their fields in braces. An e-mail is made as the first sink \
      makes it that sends any, by its own templates.
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
                .init(
                  "channels",
                  Schema.list(.word(Channel.allCases.map(\.name))).described("It may go out on")),
                .init("messages", .list(.list(text))))))))
    ],
    problems: [.invalidBody])

  private static let text = Schema.object(
    .init("language", .text.example("pt-BR")), .init("title", .text), .init("body", .text),
    .optional(
      "email",
      .object(.init("subject", .text), .init("text", .text), .init("html", .text))))
}
