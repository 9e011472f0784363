import Access
import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import NIOCore
import Reminders
import Store

/// Exports all data of a recipient (rule H4). Browsers download an export with a one-time ticket
/// (rule H10).
struct ExportRoutes: Sendable {
  let service: any ReminderService
  let tickets: DownloadTickets
  let now: @Sendable () -> Instant

  private static let path = "/v1/recipients/{recipient}/export"
  private static let downloadPath = "/v1/exports"

  var routes: [Route] {
    [
      Route(.get, Self.path, .export, answer: .recipient(export)),
      Route(
        .post, "/v1/recipients/{recipient}/export-tickets", .createExportTicket,
        answer: .recipient(issue)),
      Route(
        .get, Self.downloadPath + "/{ticket}", .downloadExport, answer: .everyone(download),
        isOpenToOtherSites: true),
    ]
  }

  private func export(_ call: Call, _ name: String) async throws -> Response {
    try Texts.checkShown()
    return try await document(of: name)
  }

  /// Issues a ticket only to callers that may export the data themselves.
  private func issue(_ call: Call, _ name: String) async throws -> Response {
    try Texts.checkShown()
    let recipient = try await service.recipient(named: name)
    return try tickets.address(below: Self.downloadPath, for: .recipient(recipient.name), call)
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
    let recipient = try await service.recipient(named: name)
    return Response(
      status: .ok, headers: [.contentType: "application/json"],
      body: ResponseBody { writer in
        var document = JSONWriter(reservingCapacity: 4_096)
        document.beginObject()
        let context = PlanningContext(facts: recipient.facts, planner: service.planner)
        ExportHeadPayload.shape.writeMembers(
          of: ExportHeadPayload.Value(recipient: recipient, context: context, now: now()),
          to: &document)
        try await writeBase(of: recipient.name, to: &document)
        try await writePending(of: recipient.name, to: &document)
        try await writeAnalytics(of: recipient.name, &document, &writer)
        try await writeHistory(of: recipient.name, &document, &writer)
        document.endObject()
        try await writer.write(ByteBuffer(bytes: document.removeBytes()))
        try await writer.finish(nil)
      })
  }

  /// Writes the facts that follow from removed events (rule H30), if there are any.
  private func writeBase(of name: String, to document: inout JSONWriter) async throws {
    guard let base = try await service.answer(FactBaseQuery(of: name)) else { return }
    let recipient = Recipient(name: name, facts: base.facts, progress: Progress(cutoff: now()))
    let context = PlanningContext(facts: base.facts, planner: service.planner)
    document.key(constant: "former")
    ExportHeadPayload.write(
      ExportHeadPayload.Value(
        recipient: recipient, context: context, now: base.through ?? now()), to: &document)
  }

  private func writePending(of recipient: String, to document: inout JSONWriter) async throws {
    document.key(constant: "pending")
    document.beginArray()
    if let agenda = try await service.answer(AgendaQuery(of: recipient)) {
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
    while let page = try await service.answer(query) {
      for record in page.records { AnalyticsEventPayload.write(record, to: &document) }
      try await writer.write(ByteBuffer(bytes: document.removeBytes()))
      guard page.hasMore, let last = page.records.last else { break }
      query.after = last.number
    }
    document.endArray()
  }

  /// Writes events, then notifications, then rejected submissions if there are any. If the
  /// recipient is erased meanwhile, no further items follow.
  private func writeHistory(
    of recipient: String, _ document: inout JSONWriter, _ writer: inout any ResponseBodyWriter
  ) async throws {
    var openArray = HistoryArray.events
    openArray.begin(in: &document)
    var cursor: ExportPage.Cursor? = .events(from: nil)
    while let next = cursor,
      let page = try await service.answer(ExportQuery(of: recipient, next))
    {
      for event in page.events { StoredEventPayload.write(event, to: &document) }
      if case .notifications = next { openArray.advance(to: .notifications, in: &document) }
      for notification in page.notifications {
        ExportedNotificationPayload.write(notification, to: &document)
      }
      if !page.refused.isEmpty { openArray.advance(to: .refused, in: &document) }
      for submission in page.refused { RefusedSubmissionPayload.write(submission, to: &document) }
      try await writer.write(ByteBuffer(bytes: document.removeBytes()))
      cursor = page.next
    }
    if openArray == .events { openArray.advance(to: .notifications, in: &document) }
    document.endArray()
  }
}

/// An array of a recipient's history, in the order of the document.
private enum HistoryArray: String {
  case events, notifications, refused

  func begin(in document: inout JSONWriter) {
    document.key(rawValue)
    document.beginArray()
  }

  /// Ends this array and begins `next`, unless `next` is this array.
  mutating func advance(to next: Self, in document: inout JSONWriter) {
    guard self != next else { return }
    document.endArray()
    self = next
    begin(in: &document)
  }
}
