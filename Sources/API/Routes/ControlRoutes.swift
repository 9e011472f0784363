import HTTPTypes
import HummingbirdCore
import JSON
import NIOCore

/// What an administrator has the running service do.
struct ControlRoutes: Sendable {
  let control: any ServiceControl
  let limits: APILimits

  var routes: [Route] {
    [
      Route(.post, "/v1/reload", .reload, answer: .administrator(reload)),
      Route(.get, "/v1/log-level", .logLevel, answer: .observer(logLevel)),
      Route(.put, "/v1/log-level", .setLogLevel, answer: .administrator(setLogLevel)),
    ]
  }

  private func reload(_ call: Call) async throws -> Response {
    let restart: [String]
    do {
      restart = try await control.reload()
    } catch {
      throw Problem(.reloadRejected, error.description)
    }
    return Response { writer in
      writer.beginObject()
      writer.member("status", "reloaded")
      writer.key(constant: "restart")
      writer.beginArray()
      for setting in restart { writer.value(setting) }
      writer.endArray()
      writer.endObject()
    }
  }

  private func logLevel(_ call: Call) async throws -> Response { current }

  private func setLogLevel(_ call: Call) async throws -> Response {
    let (level, before) = (try level(in: await call.body(within: limits)), control.logLevel)
    control.setLogLevel(level)
    call.audit.add("\(level.rawValue), which was \(before.rawValue)")
    return current
  }

  private var current: Response {
    Response { writer in
      writer.beginObject()
      writer.member("level", control.logLevel.rawValue)
      writer.endObject()
    }
  }

  private func level(in body: ByteBuffer) throws(Problem) -> LogLevel {
    let document: JSONObject
    switch body.withUnsafeReadableBytes(JSONParser(maximumBytes: limits.body).result) {
    case .success(.object(let object)): document = object
    case .success(let value):
      throw Problem(.malformedText, "a level is given in an object; this is \(value.kind)")
    case .failure(let error): throw Problem(error)
    }
    if let other = document.first(where: { $0.key != "level" })?.key {
      throw Problem(
        .invalidBody, "\(other.shortened) is not known; known here is level", path: other)
    }
    guard let level = document["level"]?.stringValue.flatMap(LogLevel.init) else {
      throw Problem(.invalidBody, "level must be one of \(LogLevel.list)", path: "level")
    }
    return level
  }
}

/// A copy of everything, while the service goes on.
struct BackupRoute: Sendable {
  let service: any ReminderService

  private static let chunk = 1 << 18

  var route: Route { Route(.get, "/v1/backup", .backup, answer: .administrator(backup)) }

  private func backup(_ call: Call) async throws -> Response {
    let backup: any StoreBackup
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
