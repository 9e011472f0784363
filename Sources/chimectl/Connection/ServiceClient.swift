import API
import Glibc
import JSON
import NIOCore
import NIOHTTP1

/// A client of the service's HTTP API.
struct ServiceClient {
  let connection: ServiceConnection
  /// The timeout of a reply, in seconds.
  private let timeout: Double

  static let startHint =
    "start it with \"systemctl start chimed\", or give its socket with --socket"

  /// The default timeout of a reply, in seconds. A service that needs longer probably hangs.
  static let defaultTimeout = 60.0

  /// Calls `body` with a client, and closes the client's connection afterwards.
  static func connected<Result>(
    to socket: String, timeout: Double = defaultTimeout,
    _ body: (ServiceClient) async throws -> Result
  ) async throws -> Result {
    try await connected(to: ServiceEndpoint(socket: socket), timeout: timeout, body)
  }

  static func connected<Result>(
    to endpoint: ServiceEndpoint, timeout: Double, _ body: (ServiceClient) async throws -> Result
  ) async throws -> Result {
    let connection = ServiceConnection(endpoint, timeout: .seconds(timeout))
    let result: Swift.Result<Result, any Error>
    do {
      result = .success(try await body(ServiceClient(connection: connection, timeout: timeout)))
    } catch {
      result = .failure(error)
    }
    connection.close()
    return try result.get()
  }

  /// Requests the document at a path.
  func document(_ path: String) async throws(CommandError) -> JSONValue {
    try json(await answer(.GET, path))
  }

  /// Deletes the resource at a path; returns the reply.
  func delete(_ path: String) async throws(CommandError) -> JSONValue {
    try json(await answer(.DELETE, path))
  }

  /// Patches the document at a path; returns the reply.
  func patch(_ path: String, _ document: JSONObject) async throws(CommandError) -> JSONValue {
    try await write(.PATCH, path, document)
  }

  /// Sends a request that changes something; returns the reply.
  func write(
    _ method: HTTPMethod, _ path: String, _ document: JSONObject? = nil
  ) async throws(CommandError) -> JSONValue {
    let body = document.map { JSONWriter.canonical(.object($0)) }
    return try json(
      await answer(method, path, as: body == nil ? nil : "application/json", body: body))
  }

  /// Posts a document; returns the reply.
  func post(_ path: String, _ document: JSONObject) async throws(CommandError) -> JSONValue {
    let body = JSONWriter.canonical(.object(document))
    return try json(await answer(.POST, path, as: "application/json", body: body))
  }

  /// Sends an event; returns its result.
  func send(_ event: EventDocument) async throws(CommandError) -> JSONValue {
    try json(
      await answer(.POST, "/v1/events", as: "application/cloudevents+json", body: event.bytes))
  }

  /// Sends lines of events; returns the result of each.
  func send(lines: [UInt8]) async throws(CommandError) -> [JSONValue] {
    let bytes = try await answer(.POST, "/v1/events", as: "application/x-ndjson", body: lines)
    var answers: [JSONValue] = []
    for line in bytes.split(separator: UInt8(ascii: "\n")) { answers.append(try json(Array(line))) }
    return answers
  }

  /// Imports an iCalendar file; returns the events.
  ///
  /// - Throws: an error with a line for each flaw, if the file has flaws.
  func importCalendar(
    _ bytes: [UInt8], _ path: String
  ) async throws(CommandError) -> JSONValue {
    do {
      return try json(
        try await connection.request(
          "POST", path, body: bytes, headers: ["content-type": "text/calendar; charset=utf-8"]))
    } catch let error as ConnectionError {
      if case .refused(422, let problem?) = error, problem["problems"] != nil {
        throw CommandError(flaws: Answer<ProblemPayload>(problem))
      }
      throw commandError(for: error)
    } catch {
      throw commandError(for: error)
    }
  }

  /// Posts a document, and passes each line of the reply to `receive` as it arrives.
  func lines(
    of path: String, _ document: JSONObject, _ receive: (JSONValue) throws(CommandError) -> Void
  ) async throws(CommandError) {
    var unread: [UInt8] = []
    let bytes = JSONWriter.canonical(.object(document))
    try await parts(of: "POST", path, body: bytes) { part throws(CommandError) in
      unread += part
      while let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        try receive(try json(Array(unread[..<end])))
        unread.removeFirst(end + 1)
      }
    }
  }

  /// Encodes a text as one segment of a path (RFC 3986, section 3.3).
  static func segment(_ text: String) -> String { ServiceConnection.segment(text) }

  /// Passes the content of a path to `receive` as it arrives, without a size limit.
  func download(
    _ path: String, to receive: (ByteBuffer) throws(CommandError) -> Void
  ) async throws(CommandError) {
    try await parts(of: "GET", path) { part throws(CommandError) in
      try receive(ByteBuffer(bytes: part))
    }
  }

  /// Sends a request, and passes the reply to `receive` in parts as it arrives.
  func parts(
    of method: String, _ path: String, body: [UInt8]? = nil, headers: [String: String] = [:],
    to receive: ([UInt8]) throws(CommandError) -> Void
  ) async throws(CommandError) {
    do {
      for try await part in try await connection.stream(method, path, body: body, headers: headers)
      {
        try receive(part)
      }
    } catch {
      throw (error as? CommandError) ?? commandError(for: error)
    }
  }

  private func answer(
    _ method: HTTPMethod, _ path: String, as type: String? = nil, body: [UInt8]? = nil
  ) async throws(CommandError) -> [UInt8] {
    do {
      return try await connection.request(
        method.rawValue, path, body: body, headers: type.map { ["content-type": $0] } ?? [:])
    } catch {
      throw commandError(for: error)
    }
  }

  func commandError(for error: any Error) -> CommandError {
    let address = connection.address
    switch error as? ConnectionError {
    case .refused(let status, let problem): return CommandError(status: status, problem: problem)
    case .late: return timeoutError
    case .unreachable(let code?, _) where code == ENOENT || code == ECONNREFUSED:
      return CommandError(
        .unavailable, "chimed is not listening at \(address)", hint: Self.startHint)
    case .unreachable(let code?, _) where code == EACCES || code == EPERM:
      return CommandError(
        .noPermission, "permission denied: cannot connect to \(address)",
        hint: "run it as root or as a member of the socket's group")
    case .unreachable(_, let reason):
      return CommandError(.unavailable, "chimed, at \(address), did not reply: \(reason)")
    case nil: return CommandError(.unavailable, "chimed, at \(address), did not reply: \(error)")
    }
  }

  private var timeoutError: CommandError {
    let span = Int(exactly: timeout).map { "\($0)" } ?? "\(timeout)"
    return CommandError(
      .temporary, "chimed, at \(connection.address), did not reply within \(span) s",
      hint: "see \"systemctl status chimed\", or use a longer --timeout")
  }

  private func json(_ bytes: [UInt8]) throws(CommandError) -> JSONValue {
    do {
      return try JSONParser(maximumBytes: ServiceConnection.replyByteCountMax).parse(bytes)
    } catch {
      throw CommandError(.protocolError, "the service's reply is not JSON: \(error)")
    }
  }
}
