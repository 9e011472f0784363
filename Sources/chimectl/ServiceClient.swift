import AsyncHTTPClient
import Glibc
import JSON
import NIOCore
import NIOHTTP1

/// The service's HTTP interface, seen from a client.
struct ServiceClient {
  let client: HTTPClient
  private let place: ServicePlace
  /// How many seconds an answer may take.
  private let patience: Double

  static let startHint =
    "start it with \"systemctl start chimed\", or say where it listens with --socket"

  /// How many seconds an answer may take unless said otherwise; the service gives none later than
  /// that unless it hangs.
  static let patience = 60.0
  /// The longest answer that is read, in bytes.
  private static let longestAnswer = 1 << 26

  static func connected<Result>(
    to socket: String, patience: Double = patience, _ body: (ServiceClient) async throws -> Result
  ) async throws -> Result {
    try await connected(to: ServicePlace(socket: socket), patience: patience, body)
  }

  static func connected<Result>(
    to place: ServicePlace, patience: Double, _ body: (ServiceClient) async throws -> Result
  ) async throws -> Result {
    var configuration = HTTPClient.Configuration(
      redirectConfiguration: .disallow,
      timeout: .init(connect: .seconds(5), read: .seconds(60)))
    configuration.httpVersion = .http1Only
    configuration.connectionPool.retryConnectionEstablishment = false
    let client = HTTPClient(
      eventLoopGroupProvider: .singleton, configuration: configuration)
    do {
      let result = try await body(
        ServiceClient(client: client, place: place, patience: patience))
      try await client.shutdown()
      return result
    } catch {
      try? await client.shutdown()
      throw error
    }
  }

  /// The document at a path.
  func document(_ path: String) async throws(Failure) -> JSONValue {
    try json(await answer(.GET, path))
  }

  /// Removes what is at a path; returns what became of it.
  func delete(_ path: String) async throws(Failure) -> JSONValue {
    try json(await answer(.DELETE, path))
  }

  /// Changes the document at a path; returns what that changed.
  func patch(_ path: String, _ document: JSONObject) async throws(Failure) -> JSONValue {
    try await write(.PATCH, path, document)
  }

  /// Changes something at a path; returns what that changed.
  func write(
    _ method: HTTPMethod, _ path: String, _ document: JSONObject? = nil
  ) async throws(Failure) -> JSONValue {
    let body = document.map { JSONWriter.canonical(.object($0)) }
    return try json(
      await answer(method, path, as: body == nil ? nil : "application/json", body: body))
  }

  /// Adds what a document describes to the things at a path; returns what was made.
  func post(_ path: String, _ document: JSONObject) async throws(Failure) -> JSONValue {
    let body = JSONWriter.canonical(.object(document))
    return try json(await answer(.POST, path, as: "application/json", body: body))
  }

  /// Sends an event; returns what became of it.
  func send(_ event: EventDocument) async throws(Failure) -> JSONValue {
    try json(
      await answer(.POST, "/v1/events", as: "application/cloudevents+json", body: event.bytes))
  }

  /// Sends lines of events; returns what became of each.
  func send(lines: [UInt8]) async throws(Failure) -> [JSONValue] {
    let bytes = try await answer(.POST, "/v1/events", as: "application/x-ndjson", body: lines)
    var answers: [JSONValue] = []
    for line in bytes.split(separator: UInt8(ascii: "\n")) { answers.append(try json(Array(line))) }
    return answers
  }

  /// Hands in a document and passes each line of the answer on as it comes.
  func lines(
    of path: String, _ document: JSONObject, _ body: (JSONValue) throws(Failure) -> Void
  ) async throws(Failure) {
    var request = request(.POST, path)
    request.headers.add(name: "content-type", value: "application/json")
    request.body = .bytes(ByteBuffer(bytes: JSONWriter.canonical(.object(document))))
    var rest: [UInt8] = []
    do {
      let response = try await client.execute(request, timeout: timeout)
      let status = Int(response.status.code)
      guard status == 200 else {
        let problem = Array(buffer: try await response.body.collect(upTo: Self.longestAnswer))
        throw Failure(status: status, problem: try? JSONParser.parse(problem))
      }
      for try await part in response.body {
        rest += Array(buffer: part)
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
          try body(try json(Array(rest[..<end])))
          rest.removeFirst(end + 1)
        }
      }
    } catch let error as Failure {
      throw error
    } catch {
      throw failure(error)
    }
  }

  /// A text as one segment of a path (RFC 3986, section 3.3).
  static func segment(_ text: String) -> String {
    text.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        return String(UnicodeScalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        return digits.count == 1 ? "%0" + digits : "%" + digits
      }
    }.joined()
  }

  /// Hands on what is at a path as it comes, however long it is.
  func download(
    _ path: String, to receive: (ByteBuffer) throws(Failure) -> Void
  ) async throws(Failure) {
    let request = request(.GET, path)
    let failed: Failure?
    do {
      let response = try await client.execute(request, deadline: .distantFuture)
      failed = try await refusal(of: response)
      if failed == nil {
        for try await part in response.body { try receive(part) }
      }
    } catch let error as Failure {
      throw error
    } catch {
      throw failure(error)
    }
    if let failed { throw failed }
  }

  private func refusal(of response: HTTPClientResponse) async throws -> Failure? {
    let status = Int(response.status.code)
    guard !(200..<300).contains(status) else { return nil }
    let bytes = Array(buffer: try await response.body.collect(upTo: Self.longestAnswer))
    return Failure(status: status, problem: try? JSONParser.parse(bytes))
  }

  private func answer(
    _ method: HTTPMethod, _ path: String, as type: String? = nil, body: [UInt8]? = nil
  ) async throws(Failure) -> [UInt8] {
    var request = request(method, path)
    if let type { request.headers.add(name: "content-type", value: type) }
    if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
    let status: Int
    let bytes: [UInt8]
    do {
      let response = try await client.execute(request, timeout: timeout)
      status = Int(response.status.code)
      bytes = Array(buffer: try await response.body.collect(upTo: Self.longestAnswer))
    } catch {
      throw failure(error)
    }
    guard (200..<300).contains(status) else {
      throw Failure(status: status, problem: try? JSONParser.parse(bytes))
    }
    return bytes
  }

  private var timeout: TimeAmount { .milliseconds(Int64(patience * 1_000)) }

  func request(_ method: HTTPMethod, _ path: String) -> HTTPClientRequest {
    var request = HTTPClientRequest(url: place.base + path)
    request.method = method
    if let token = place.token {
      request.headers.add(name: "authorization", value: "Bearer \(token)")
    }
    return request
  }

  func failure(_ error: any Error) -> Failure {
    let late: [HTTPClientError] = [.deadlineExceeded, .readTimeout, .connectTimeout]
    if let error = error as? HTTPClientError, late.contains(error) { return lateness }
    return switch (error as? IOError)?.errnoCode {
    case ENOENT, ECONNREFUSED:
      Failure(.unavailable, "chimed does not listen at \(place.name)", hint: Self.startHint)
    case EACCES, EPERM:
      Failure(
        .noPermission, "you may not connect to \(place.name)",
        hint: "be root or a member of the socket's group")
    default:
      Failure(.unavailable, "chimed, at \(place.name), did not answer: \(error)")
    }
  }

  private var lateness: Failure {
    let span = Int(exactly: patience).map { "\($0)" } ?? "\(patience)"
    return Failure(
      .temporary, "chimed, at \(place.name), did not answer in \(span) s",
      hint: "\"systemctl status chimed\" may tell why; --timeout gives it longer")
  }

  private func json(_ bytes: [UInt8]) throws(Failure) -> JSONValue {
    do {
      return try JSONParser(maximumBytes: Self.longestAnswer).parse(bytes)
    } catch {
      throw Failure(.protocolError, "the answer of the service is not JSON: \(error)")
    }
  }
}
