import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import Reminders

/// Shows the messages of a loaded catalog or a draft in every language, with sample data. Changes
/// nothing.
struct CatalogMessagesRoute: Sendable {
  let work: HeavyWork
  /// Renders e-mails; nil if no e-mail can be rendered.
  let control: (any ServiceControl)?
  let limits: APILimits
  let now: @Sendable () -> Instant

  var route: Route {
    Route(.post, "/v1/catalog-messages", .catalogMessages, answer: .support(answer))
  }

  private func answer(_ call: Call) async throws -> Response {
    let body = try await call.body(MessagesBody.self, within: limits)
    let (planner, name) = (work.service.planner, try body.name)
    guard let source = try body.source else {
      guard planner.catalog.catalogNames.contains(name) else {
        let names = planner.catalog.catalogNames.joined(separator: ", ")
        throw Problem(.invalidBody, "name must be that of a loaded catalog: \(names)", path: "name")
      }
      return try await respond(to: call, about: name) { .success(planner.catalog) }
    }
    let draft = try CatalogDraft(source, named: name, among: planner.catalog)
    return try await respond(to: call, about: draft.name) {
      draft.read().mapError(draft.problem)
    }
  }

  private func respond(
    to call: Call, about name: String,
    _ catalog: @escaping @Sendable () -> Result<Catalog, Problem>
  ) async throws -> Response {
    let (now, zone) = (now(), work.service.planner.defaultZone)
    let renderMail = { @Sendable [control] (text: MessageSample, category: String) in
      control?.mailSample(of: text, in: category)
    }
    let messages = try await work.run(for: call) { service throws(ServiceUnavailable) in
      try await service.work(.trial) {
        catalog().map { CatalogMessages($0, of: name, at: now, in: zone, renderMail) }
      }
    }
    return Response(MessagesPayload.self, try messages.get())
  }
}

struct MessagesBody: RequestPayload {
  static let shape = BodyShape(Self())

  let name = Member("name", .catalogName)
  let source = Member("source", optional: .catalogText, "YAML; at most 256 KiB")
}

/// The messages of a catalog's reminders. Each e-mail is included in its rendered form.
struct CatalogMessages: Sendable {
  /// One message in one language.
  struct LocalizedMessage {
    let sample: MessageSample
    /// The rendered e-mail; nil if the reminder sends none, or if no e-mail can be rendered.
    let mail: MailSample?
  }

  struct ReminderMessages {
    let reminder: Reminder
    let category: String
    /// The channels that the reminder and its category both allow.
    let channels: [Channel]
    /// Each message of the reminder, in each of its languages.
    let messages: [[LocalizedMessage]]
  }

  /// Every language in which the catalog has a text.
  let languages: [LanguageTag]
  let reminders: [ReminderMessages]

  /// - Parameters:
  ///   - file: the name of a loaded catalog, or of the file of a draft.
  ///   - now: the time for which the samples are written.
  ///   - renderMail: renders a sample as an e-mail of the given category.
  init(
    _ catalog: Catalog, of file: String, at now: Instant, in zone: Zone,
    _ renderMail: (MessageSample, String) -> MailSample?
  ) {
    // The name inside the file may differ from the file's name.
    let index = catalog.sources.firstIndex { $0.file == file }
    let fileReminders = catalog.reminders(ofCatalog: index.map { catalog.catalogNames[$0] } ?? file)
    languages = catalog.languages(of: fileReminders)
    reminders = fileReminders.map { reminder in
      let category = catalog.categories[reminder.category]
      let channels = category.channels.map(\.channel).filter {
        reminder.channels.contains(ChannelSet($0))
      }
      let messages = catalog.samples(of: reminder, at: now, in: zone).map { texts in
        texts.map { text in
          LocalizedMessage(
            sample: text, mail: channels.contains(.email) ? renderMail(text, category.name) : nil)
        }
      }
      return ReminderMessages(
        reminder: reminder, category: category.name, channels: channels, messages: messages)
    }
  }
}

struct MessagesPayload: Payload {
  typealias Value = CatalogMessages
  static let shape = PayloadShape(Self())

  let languages = Member(
    "languages", .list(.text), "Every language in which the catalog has a text"
  ) {
    $0.languages.map(\.description)
  }
  let reminders = Member("reminders", .list(.payload(ReminderMessagesPayload.self))) {
    $0.reminders
  }
}

struct ReminderMessagesPayload: Payload {
  typealias Value = CatalogMessages.ReminderMessages
  static let shape = PayloadShape(Self())

  let reminder = Member("reminder", .text) { $0.reminder.identifier }
  let category = Member("category", .text) { $0.category }
  let channels = Member(
    "channels", .list(.channel), "The channels that both the reminder and its category allow"
  ) {
    $0.channels
  }
  let messages = Member("messages", .list(.list(.payload(LocalizedMessagePayload.self)))) {
    $0.messages
  }
}

struct LocalizedMessagePayload: Payload {
  typealias Value = CatalogMessages.LocalizedMessage
  static let shape = PayloadShape(Self())

  let language = Member("language", .text.example("pt-BR")) { $0.sample.language.description }
  let title = Member("title", .text) { $0.sample.title }
  let body = Member("body", .text) { $0.sample.body }
  let discreet = Member(
    "discreet", optional: .text, "The text on channels that other people may see"
  ) { $0.sample.discreet }
  let email = Member("email", optional: .payload(MailPayload.self)) { $0.mail }
}

struct MailPayload: Payload {
  typealias Value = MailSample
  static let shape = PayloadShape(Self())

  let subject = Member("subject", .text) { $0.subject }
  let text = Member("text", .text) { $0.text }
  let html = Member("html", .text) { $0.html }
}

extension Operation {
  static let catalogMessages = Operation(
    identifier: "catalogMessages",
    summary: "Show a catalog's messages in every language; nothing is changed",
    details: """
      Shows the messages of the loaded catalog `name`, or of the draft `source` in its place. The \
      data is invented: each text field of an event has its own name in braces as its value. An \
      e-mail is rendered with the templates of the first sink that sends e-mail.
      """,
    body: Body(
      Content(
        schema: .of(MessagesBody.self),
        example: ["name": "imanpath"])),
    answers: [
      Answer("Each message in each of its languages", .of(MessagesPayload.self))
    ],
    problems: [.invalidBody])
}
