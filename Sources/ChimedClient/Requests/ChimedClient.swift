public import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// A client of a chimed service, for apps that report events and show a recipient's data.
///
///     let chimed = try ChimedClient("https://chimed.example.org", token: token)
///     try await chimed.send(ChimedEvent("lesson.completed", of: "u1", data: ["day": 1]))
///
/// The client uses URLSession alone, on Linux and on Apple's systems. It keeps connections open for
/// later requests, and closes them when the client is released.
public final class ChimedClient: Sendable {
  /// The limit of a reply that is read as a whole, in bytes.
  static let replyByteCountMax = 1 << 26

  /// The service's address, without a slash at the end.
  public let address: String
  /// How often and when requests are sent again.
  public let retries: ChimedRetries
  private let token: String
  /// How long the service may send nothing.
  private let timeout: Duration
  /// Waits before a request is sent again.
  private let sleep: @Sendable (Duration) async throws -> Void
  private let transport = HTTPTransport()

  /// Creates a client; opens no connection yet.
  ///
  /// - Parameters:
  ///   - address: `https://host` or `http://host:port`, optionally with a path.
  ///   - token: from `chimectl token create`, or a JSON Web Token.
  ///   - timeout: how long the service may send nothing; rounded up to whole seconds, at least one.
  ///   - sleep: waits before a request is sent again; tests can pass their own.
  /// - Throws: `ChimedError.invalid` if the address is no URL of a service.
  public init(
    _ address: String, token: String, timeout: Duration = .seconds(60),
    retries: ChimedRetries = ChimedRetries(),
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) throws(ChimedError) {
    self.address = try Self.validated(address)
    self.token = token
    self.timeout = timeout
    self.retries = retries
    self.sleep = sleep
  }

  private static func validated(_ address: String) throws(ChimedError) -> String {
    let parts = URLComponents(string: address)
    guard let parts, ["https", "http"].contains(parts.scheme), parts.host?.isEmpty == false,
      parts.query == nil, parts.fragment == nil, parts.user == nil
    else {
      throw .invalid(
        "\"\(address)\" is not the address of a service; write it as https://chimed.example.org")
    }
    return address.hasSuffix("/") ? String(address.dropLast()) : address
  }

  // MARK: - Requests

  /// Sends one request, without retries. `/openapi.json` describes the service's paths.
  ///
  /// - Parameters:
  ///   - path: the path with its query; `segment` encodes values in the path.
  ///   - body: the body; its type is `application/json`, unless the headers contain another
  ///     `Content-Type`.
  /// - Returns: the body of a reply with a status from 200 to 299.
  public func request(
    _ method: String, _ path: String, body: Data? = nil, headers: [String: String] = [:]
  ) async throws(ChimedError) -> Data {
    try await reply(method, path, body: body, headers: headers).body
  }

  /// Reads a path and decodes the reply; repeats the request after temporary failures.
  ///
  /// - Parameter path: a path such as `/v1/recipients/u1/pending`; `segment` encodes values in it.
  public func read<Answer: Decodable & Sendable>(
    _ type: Answer.Type, from path: String
  ) async throws(ChimedError) -> Answer {
    let body = try await retrying { () async throws(ChimedError) in
      try await request("GET", path)
    }
    return try ChimedDocument.decode(type, from: body)
  }

  /// Sends a request and reads the whole reply.
  func reply(
    _ method: String, _ path: String, body: Data? = nil, headers: [String: String] = [:]
  ) async throws(ChimedError) -> (body: Data, headers: ReplyHeaders) {
    let reply = try await open(method, path, body: body, headers: headers)
    let bytes = try await reply.collect(atMost: Self.replyByteCountMax)
    return (bytes, reply.headers)
  }

  /// Sends a request and returns the reply when its head has arrived.
  ///
  /// - Throws: `ChimedError.refused` for a status outside 200 to 299.
  func open(
    _ method: String, _ path: String, body: Data? = nil, headers: [String: String] = [:]
  ) async throws(ChimedError) -> HTTPReply {
    // Without the slash, the path would extend the host's name, and another host would get the
    // token.
    guard path.hasPrefix("/"), let url = URL(string: address + path) else {
      throw .invalid(
        "\"\(path)\" is not a path; begin it with /, and encode its parts with ChimedClient.segment"
      )
    }
    var request = URLRequest(url: url)
    request.httpMethod = method
    request.httpBody = body
    request.timeoutInterval = Self.wholeSeconds(timeout)
    request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
    if body != nil { request.setValue("application/json", forHTTPHeaderField: "Content-Type") }
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    let reply = try await transport.open(request, timeout: timeout)
    guard !(200..<300).contains(reply.headers.status) else { return reply }
    let document = try await reply.collect(atMost: Self.replyByteCountMax)
    throw .refused(ChimedProblem(reply.headers, document: document))
  }

  /// Repeats an operation after temporary failures, as `retries` decides.
  func retrying<Value>(
    _ operation: () async throws(ChimedError) -> Value
  ) async throws(ChimedError) -> Value {
    var failures = 0
    while true {
      do {
        return try await operation()
      } catch {
        failures += 1
        let spread = Double.random(in: 0..<1)
        guard let wait = retries.wait(after: failures, error, spread: spread) else { throw error }
        try await pause(for: wait)
      }
    }
  }

  /// Waits; throws `ChimedError.cancelled` if the task is cancelled meanwhile.
  func pause(for duration: Duration) async throws(ChimedError) {
    do {
      try await sleep(duration)
    } catch {
      throw .cancelled
    }
  }

  /// Rounds a timeout up to whole seconds, at least one. URLSession on Linux ignores fractions of a
  /// second, and with a timeout of 0 a request fails immediately.
  private static func wholeSeconds(_ duration: Duration) -> TimeInterval {
    let (seconds, attoseconds) = duration.components
    return TimeInterval(max(1, attoseconds > 0 ? seconds + 1 : seconds))
  }

  // MARK: - Texts

  /// Encodes a text as one segment of a path or one value of a query (RFC 3986, section 3.3).
  public static func segment(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: unencoded) ?? ""
  }

  private static let unencoded = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

  /// The path of a recipient's resource, such as `preferences`.
  static func path(of recipient: String, _ resource: String) -> String {
    "/v1/recipients/\(segment(recipient))/\(resource)"
  }
}
