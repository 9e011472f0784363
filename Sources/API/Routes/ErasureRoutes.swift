import Access
import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import NIOCore
import Reminders
import Store

/// Everything that is held of a recipient, and its end (rule H4).
struct ErasureRoutes: Sendable {
  let service: any ReminderService
  let now: @Sendable () -> Instant

  var routes: [Route] {
    [
      Route(.delete, "/v1/recipients/{recipient}", .erase, answer: .person(.administration, erase)),
      Route(.get, "/v1/recipients/{recipient}/export", .export, answer: .recipient(export)),
    ]
  }

  // MARK: - Erasure

  private func erase(_ call: Call, _ name: String) async throws -> Response {
    let recipient = try await service.known(name)
    let time = now()
    let event = Event(
      identifier: Event.newIdentifier(), source: "chimed", type: "recipient.deleted",
      recipient: recipient.name, time: time, isTimeGiven: false, content: .erasure)
    do {
      if case .refused(let refusal) = try await service.submit([event]).first {
        throw Problem(refusal)
      }
    } catch let error as ServiceUnavailable {
      throw Problem(error)
    }
    let status = try? await service.status()
    let isClean = status.map { $0.erasureOpen == nil } ?? false
    return Self.answer(recipient.name, at: time, isClean: isClean)
  }

  /// Whoever is told that somebody is erased can rely on it that no file has anything of them; else
  /// they are told what remains.
  private static func answer(
    _ recipient: String, at time: Instant, isClean: Bool
  ) -> Response {
    Response(status: isClean ? .ok : .accepted) { writer in
      writer.beginObject()
      writer.member("recipient", recipient)
      writer.member("erased", time.description)
      if !isClean { writer.member("remains", Self.remains) }
      writer.endObject()
    }
  }

  private static let remains = """
    the erasure is recorded and holds; what was known may still be read in the store's files, \
    which are cleaned as soon as the disk has room and no other program reads the store
    """

  // MARK: - Export

  private func export(_ call: Call, _ name: String) async throws -> Response {
    try Texts.checkShown()
    let recipient = try await service.known(name)
    return Response(
      status: .ok, headers: [.contentType: "application/json"],
      body: ResponseBody { writer in
        var document = JSONWriter(reservingCapacity: 4_096)
        document.beginObject()
        recipient.writeExport(at: now(), planner: service.planner, to: &document)
        try await writePending(of: recipient.name, to: &document)
        try await writeAnalytics(of: recipient.name, &document, &writer)
        try await writeHistory(of: recipient.name, &document, &writer)
        document.endObject()
        try await writer.write(ByteBuffer(bytes: document.take()))
        try await writer.finish(nil)
      })
  }

  private func writePending(of recipient: String, to document: inout JSONWriter) async throws {
    document.key(constant: "pending")
    document.beginArray()
    if let agenda = try await service.agenda(of: recipient) {
      for entry in agenda.entries { entry.write(in: agenda.zone, to: &document) }
    }
    document.endArray()
  }

  private func writeAnalytics(
    of recipient: String, _ document: inout JSONWriter, _ writer: inout any ResponseBodyWriter
  ) async throws {
    document.key(constant: "analytics")
    document.beginArray()
    var query = AnalyticsQuery(recipient: recipient, after: 0, limit: 500)
    while let page = try await service.analytics(query) {
      for record in page.records { record.write(to: &document) }
      try await writer.write(ByteBuffer(bytes: document.take()))
      guard page.hasMore, let last = page.records.last else { break }
      query.after = last.number
    }
    document.endArray()
  }

  /// Events first, then notifications; a recipient who is erased meanwhile has no more of either.
  private func writeHistory(
    of recipient: String, _ document: inout JSONWriter, _ writer: inout any ResponseBodyWriter
  ) async throws {
    document.key(constant: "events")
    document.beginArray()
    var isAtEvents = true
    var place: ExportPage.Place? = .events(from: nil)
    var refused: [RefusedSubmission] = []
    while let next = place, let page = try await service.export(recipient, next) {
      if isAtEvents, case .notifications = next {
        isAtEvents = false
        Self.beginNotifications(&document)
      }
      for event in page.events { event.write(to: &document) }
      for notification in page.notifications { notification.write(to: &document) }
      try await writer.write(ByteBuffer(bytes: document.take()))
      refused += page.refused
      place = page.next
    }
    if isAtEvents { Self.beginNotifications(&document) }
    document.endArray()
    guard !refused.isEmpty else { return }
    document.key(constant: "refused")
    document.beginArray()
    for submission in refused { submission.write(to: &document) }
    document.endArray()
  }

  private static func beginNotifications(_ document: inout JSONWriter) {
    document.endArray()
    document.key(constant: "notifications")
    document.beginArray()
  }
}

extension RefusedSubmission {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("submitted", at.description)
    writer.member("event", text)
    writer.member("reason", reason)
    writer.endObject()
  }
}

extension ReminderService {
  /// The recipient, or the problem that there is none.
  func known(_ name: String) async throws(Problem) -> Recipient {
    let found: Recipient?
    do {
      found = try await recipient(name)
    } catch {
      throw Problem(error)
    }
    if let found { return found }
    throw Problem.unknown(recipient: name)
  }
}

extension Problem {
  static func unknown(recipient name: String) -> Problem {
    Problem(
      .unknownRecipient,
      "nothing is known of the recipient \"\(name.shortened)\"; "
        + "an event about them, such as recipient.updated, makes them known")
  }
}
