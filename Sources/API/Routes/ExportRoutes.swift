import Access
import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import NIOCore
import Reminders
import Store

/// Exports all data of a recipient (rule H4), for browsers by tickets (rule H10).
struct ExportRoutes: Sendable {
  let service: any ReminderService
  let tickets: DownloadTickets
  let now: @Sendable () -> Instant

  private static let path = "/v1/recipients/{recipient}/export"
  private static let downloads = "/v1/exports"

  var routes: [Route] {
    [
      Route(.get, Self.path, .export, answer: .recipient(export)),
      Route(
        .post, "/v1/recipients/{recipient}/export-tickets", .createExportTicket,
        answer: .recipient(issue)),
      Route(
        .get, Self.downloads + "/{ticket}", .downloadExport, answer: .everyone(download)),
    ]
  }

  private func export(_ call: Call, _ name: String) async throws -> Response {
    try Texts.checkShown()
    return try await document(of: name)
  }

  /// Issues a ticket only to callers that may export the data themselves.
  private func issue(_ call: Call, _ name: String) async throws -> Response {
    try Texts.checkShown()
    let recipient = try await service.known(name)
    return try tickets.address(below: Self.downloads, for: .recipient(recipient.name), call)
  }

  private func download(_ call: Call) async throws -> Response {
    let grant = try tickets.redeem(call, or: Self.path)
    let name = "chimed-person-\(now().description.prefix(10)).json"
    if call.isForHead {
      return Response(status: .ok, headers: [.contentType: "application/json"]).saved(as: name)
    }
    let response = try await document(of: grant.scope.recipient ?? "")
    tickets.record(.export, by: grant)
    return response.saved(as: name)
  }

  private func document(of name: String) async throws -> Response {
    let recipient = try await service.known(name)
    return Response(
      status: .ok, headers: [.contentType: "application/json"],
      body: ResponseBody { writer in
        var document = JSONWriter(reservingCapacity: 4_096)
        document.beginObject()
        let context = PlanningContext(facts: recipient.facts, planner: service.planner)
        ExportHeadPayload.shape.writeMembers(
          of: ExportHeadPayload.Value(recipient: recipient, context: context, now: now()),
          to: &document)
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
      for entry in agenda.entries {
        PendingPayload.write(Zoned(entry, in: agenda.zone), to: &document)
      }
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
      for record in page.records { AnalyticsEventPayload.write(record, to: &document) }
      try await writer.write(ByteBuffer(bytes: document.take()))
      guard page.hasMore, let last = page.records.last else { break }
      query.after = last.number
    }
    document.endArray()
  }

  /// Events first, then notifications. If the recipient is erased meanwhile, both end there.
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
      for event in page.events { KeptEventPayload.write(event, to: &document) }
      for notification in page.notifications {
        KeptNotificationPayload.write(notification, to: &document)
      }
      try await writer.write(ByteBuffer(bytes: document.take()))
      refused += page.refused
      place = page.next
    }
    if isAtEvents { Self.beginNotifications(&document) }
    document.endArray()
    guard !refused.isEmpty else { return }
    document.key(constant: "refused")
    document.beginArray()
    for submission in refused { RefusedSubmissionPayload.write(submission, to: &document) }
    document.endArray()
  }

  private static func beginNotifications(_ document: inout JSONWriter) {
    document.endArray()
    document.key(constant: "notifications")
    document.beginArray()
  }
}
