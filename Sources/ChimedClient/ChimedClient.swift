internal import AsyncHTTPClient
internal import JSON
internal import NIOCore
internal import NIOHTTP1

/// A chimed service, for programs that report to it and ask it.
///
///     let chimed = ChimedClient(.socket("/run/chimed/chimed.sock"))
///     try await chimed.send(ChimedEvent("lesson.completed", of: "u1", data: ["day": 1]))
///
/// It keeps its connections for the next request, and closes them when nobody has it any more.
public final class ChimedClient: Sendable {
  /// Where the service listens.
  public enum Address: Hashable, Sendable, CustomStringConvertible {
    /// The path of its Unix socket, where the system vouches for this process.
    case socket(String)
    /// `http://host:port` or `https://host:port`, where a token is needed.
    case url(String)

    public var description: String {
      switch self {
      case .socket(let text), .url(let text): text
      }
    }
  }

  /// How long an answer may take unless said otherwise; the service gives none later than that
  /// unless it hangs.
  public static let patience = Duration.seconds(60)
  /// The longest answer that is read as a whole, in bytes.
  package static let longestAnswer = 1 << 26

  public let address: Address
  private let token: String?
  private let patience: Duration
  private let client: HTTPClient

  /// Opens nothing yet.
  ///
  /// - Parameters:
  ///   - token: of `chimectl token create`, or a JSON Web Token.
  ///   - patience: how long an answer may take, to its last byte.
  public init(
    _ address: Address, token: String? = nil, patience: Duration = ChimedClient.patience
  ) {
    self.address = address
    self.token = token
    self.patience = patience
    var configuration = HTTPClient.Configuration(
      redirectConfiguration: .disallow,
      timeout: .init(connect: .seconds(5), read: .seconds(60)))
    configuration.httpVersion = .http1Only
    configuration.connectionPool.retryConnectionEstablishment = false
    client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }

  deinit {
    client.shutdown { _ in }
  }

  /// Closes its connections; it is of no use afterwards. Not needed where the process goes on.
  public func close() async {
    try? await client.shutdown()
  }

  // MARK: - Requests

  /// Asks for anything that the service has, by its path (`/openapi.json` says what there is).
  ///
  /// - Parameters:
  ///   - path: with its query; `segment` writes what is put into it.
  ///   - body: its type is in the headers, or `application/json`.
  /// - Returns: the body of an answer with a status from 200 to 299.
  public func request(
    _ method: String = "GET", _ path: String, body: [UInt8]? = nil, headers: [String: String] = [:]
  ) async throws(ChimedError) -> [UInt8] {
    let answer = try await open(method, path, body: body, headers: headers, isEndless: false)
    var bytes: [UInt8] = []
    for try await part in answer { bytes += part }
    return bytes
  }

  /// The same for an answer that is read as it comes, however long it goes on.
  public func stream(
    _ method: String = "GET", _ path: String, body: [UInt8]? = nil, headers: [String: String] = [:]
  ) async throws(ChimedError) -> ChimedAnswer {
    try await open(method, path, body: body, headers: headers, isEndless: true)
  }

  private func open(
    _ method: String, _ path: String, body: [UInt8]?, headers: [String: String], isEndless: Bool
  ) async throws(ChimedError) -> ChimedAnswer {
    var request = HTTPClientRequest(url: url(path))
    request.method = HTTPMethod(rawValue: method)
    if let token { request.headers.add(name: "authorization", value: "Bearer \(token)") }
    if let body {
      request.body = .bytes(ByteBuffer(bytes: body))
      request.headers.add(name: "content-type", value: "application/json")
    }
    for (name, value) in headers { request.headers.replaceOrAdd(name: name, value: value) }
    do {
      let deadline = isEndless ? NIODeadline.distantFuture : .now() + timeout
      let response = try await client.execute(request, deadline: deadline)
      let status = Int(response.status.code)
      guard (200..<300).contains(status) else {
        let bytes = Array(buffer: try await response.body.collect(upTo: Self.longestAnswer))
        throw ChimedError.refused(ChimedProblem(status: status, document: bytes))
      }
      return ChimedAnswer(body: response.body, client: self)
    } catch {
      throw self.error(error)
    }
  }

  private func url(_ path: String) -> String {
    switch address {
    case .socket(let socket): "http+unix://\(Self.segment(socket))\(path)"
    case .url(let url): (url.hasSuffix("/") ? String(url.dropLast()) : url) + path
    }
  }

  private var timeout: TimeAmount {
    let (seconds, attoseconds) = patience.components
    return .nanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
  }

  func error(_ error: any Error) -> ChimedError {
    if let error = error as? ChimedError { return error }
    let late: [HTTPClientError] = [.deadlineExceeded, .readTimeout, .connectTimeout]
    if let error = error as? HTTPClientError, late.contains(error) { return .late(patience) }
    return .unreachable(errno: (error as? IOError)?.errnoCode, reason: "\(error)")
  }

  /// A text as one segment of a path, or one value of its query (RFC 3986, section 3.3).
  public static func segment(_ text: String) -> String {
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
}

/// An answer as it comes, in parts.
public struct ChimedAnswer: AsyncSequence, Sendable {
  public typealias Element = [UInt8]
  public typealias Failure = ChimedError

  fileprivate let body: HTTPClientResponse.Body
  fileprivate let client: ChimedClient

  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var parts: HTTPClientResponse.Body.AsyncIterator
    fileprivate let client: ChimedClient

    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(ChimedError) -> [UInt8]? {
      do {
        return try await parts.next(isolation: actor).map { Array(buffer: $0) }
      } catch {
        throw client.error(error)
      }
    }
  }

  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(parts: body.makeAsyncIterator(), client: client)
  }
}
