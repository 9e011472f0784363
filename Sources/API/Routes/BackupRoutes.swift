import Access
import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import NIOCore
import Store

/// A copy of everything, while the service goes on. A browser that saves a file sends no token
/// along, so that an administrator's page exchanges it for an address that is good once.
struct BackupRoutes: Sendable {
  let service: any ReminderService
  let desk: TicketDesk
  let limiter: RateLimiter
  let audit: (any AuditLog)?
  let now: @Sendable () -> Instant

  private static let path = "/v1/backup"
  private static let chunk = 1 << 18

  var routes: [Route] {
    [
      Route(.get, Self.path, .backup, answer: .administrator { _ in try await copy() }),
      Route(
        .post, "/v1/backup-tickets", .createBackupTicket, answer: .administrator(issue)),
      Route(.get, Self.path + "/{ticket}", .downloadBackup, answer: .everyone(download)),
    ]
  }

  private func issue(_ call: Call) async throws -> Response {
    let grantor = call.caller?.name ?? ""
    guard let secret = desk.issue(for: .init(scope: .administrator, grantor: grantor)) else {
      throw Problem(tooManyTickets: ConsoleTickets.lifetime)
    }
    let end = now() + ConsoleTickets.lifetime
    var response = Response(status: .created) { writer in
      writer.beginObject()
      writer.member("path", Self.path + "/" + secret.reveal())
      writer.member("expires", end.description)
      writer.endObject()
    }
    response.headers[.cacheControl] = "no-store"
    return response
  }

  private func download(_ call: Call) async throws -> Response {
    if case .network(_, let peer) = call.scope.origin {
      try limiter.admit("backup \(peer)", else: "too many tickets came from your address")
    }
    guard let ticket = TokenSecret(call.segments[0]), let grant = desk.redeem(ticket) else {
      throw Problem(
        .unknownToken,
        "the ticket has been used or is older than a minute; ask for a new one, or send your token "
          + "to \(Self.path)")
    }
    let response = try await copy()
    audit?.record(AuditEntry(actor: grant.grantor, action: Operation.backup.identifier))
    return response
  }

  private func copy() async throws -> Response {
    let backup: any StoreBackup
    do {
      backup = try await service.backup()
    } catch {
      throw Problem(error)
    }
    let day = now().description.prefix(10)
    return Response(
      status: .ok,
      headers: [
        .contentType: "application/vnd.sqlite3", .contentLength: "\(backup.size)",
        .contentDisposition: "attachment; filename=\"chimed-\(day).sqlite\"",
        .cacheControl: "no-store",
      ],
      body: ResponseBody(contentLength: Int(backup.size)) { writer in
        var offset: Int64 = 0
        while true {
          let bytes = try backup.bytes(at: offset, atMost: Self.chunk)
          guard !bytes.isEmpty else { break }
          offset += Int64(bytes.count)
          try await writer.write(ByteBuffer(bytes: bytes))
        }
        try await writer.finish(nil)
      })
  }
}

extension Problem {
  /// - Parameter lifetime: when the oldest of them will have gone.
  init(tooManyTickets lifetime: TimeSpan) {
    self.init(
      .tooManyRequests, "too many tickets wait to be used; use one, or wait a minute",
      headers: [.retryAfter: "\(lifetime.milliseconds / 1_000)"])
  }
}
