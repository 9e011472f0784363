import Access
import CivilTime
import Engine
import HTTPTypes
import HummingbirdCore
import JSON
import NIOCore
import Store

/// Makes a full backup while the service runs. Browsers download a backup with a one-time ticket
/// (rule H10).
struct BackupRoutes: Sendable {
  let service: any ReminderService
  let tickets: DownloadTickets
  let now: @Sendable () -> Instant

  private static let path = "/v1/backup"
  private static let mediaType = "application/vnd.sqlite3"
  private var fileName: String { "chimed-\(now().description.prefix(10)).sqlite" }
  /// The most bytes that are read and sent at once.
  private static let chunkBytes = 1 << 18

  var routes: [Route] {
    [
      Route(.get, Self.path, .backup, answer: .administrator { _ in try await backupResponse() }),
      Route(
        .post, "/v1/backup-tickets", .createBackupTicket, answer: .administrator(issueTicket)),
      Route(.get, Self.path + "/{ticket}", .downloadBackup, answer: .everyone(download)),
    ]
  }

  private func issueTicket(_ call: Call) async throws -> Response {
    try tickets.address(below: Self.path, for: .administrator, call)
  }

  private func download(_ call: Call) async throws -> Response {
    let grant = try tickets.redeem(call, or: Self.path)
    if call.isForHead {
      return Response(status: .ok, headers: [.contentType: Self.mediaType]).saved(as: fileName)
    }
    let response = try await backupResponse()
    tickets.record(.backup, by: grant)
    return response
  }

  private func backupResponse() async throws -> Response {
    let backup: any StoreBackup
    do {
      backup = try await service.backup()
    } catch {
      throw Problem(error)
    }
    return Response(
      status: .ok,
      headers: [
        .contentType: Self.mediaType, .contentLength: "\(backup.size)",
      ],
      body: ResponseBody(contentLength: Int(backup.size)) { writer in
        var offset: Int64 = 0
        while true {
          let bytes = try backup.bytes(at: offset, atMost: Self.chunkBytes)
          guard !bytes.isEmpty else { break }
          offset += Int64(bytes.count)
          try await writer.write(ByteBuffer(bytes: bytes))
        }
        try await writer.finish(nil)
      }
    ).saved(as: fileName)
  }
}
