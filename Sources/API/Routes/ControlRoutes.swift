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
      Route(.post, "/v1/configuration-checks", .checkConfiguration, answer: .administrator(check)),
      Route(.get, "/v1/configuration", .configuration, answer: .administrator(configuration)),
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

  private func check(_ call: Call) async throws -> Response {
    let found = await control.check()
    return Response { writer in
      writer.beginObject()
      writer.member("sound", found.flaw == nil)
      writer.member("flaw", found.flaw.map { .string($0) } ?? .null)
      writer.member("sinks", found.sinks)
      writer.member("restart", .array(found.restart.map { .string($0) }))
      writer.endObject()
    }
  }

  private func configuration(_ call: Call) async throws -> Response {
    Response(json: control.configuration.write)
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

extension ShownConfiguration {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("file", file.map { .string($0) } ?? .null)
    writer.key(constant: "settings")
    writer.beginArray()
    for setting in settings { setting.write(to: &writer) }
    writer.endArray()
    writer.endObject()
  }
}

extension ShownConfiguration.Setting {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("name", name)
    writer.member("value", value.map { .string($0) } ?? .null)
    writer.member("hidden", value == nil)
    writer.member("from", origin.rawValue)
    if let line { writer.member("line", line) }
    writer.endObject()
  }
}
