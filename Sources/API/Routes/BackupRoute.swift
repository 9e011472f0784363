import Engine
import HTTPTypes
import HummingbirdCore
import NIOCore
import Store

/// A copy of everything, while the service goes on.
struct BackupRoute: Sendable {
  let service: any ReminderService

  private static let chunk = 1 << 18

  var route: Route { Route(.get, "/v1/backup", .backup, answer: .administrator(backup)) }

  private func backup(_ call: Call) async throws -> Response {
    let backup: StoreBackup
    do {
      backup = try await service.backup()
    } catch {
      throw Problem(error)
    }
    return Response(
      status: .ok,
      headers: [.contentType: "application/vnd.sqlite3", .contentLength: "\(backup.size)"],
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
