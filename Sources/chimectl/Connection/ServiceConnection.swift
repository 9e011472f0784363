import HTTPTransfers
import JSON
import Synchronization

/// Requests to the service over its Unix socket or at its URL.
///
/// This object keeps connections open for later requests, and closes them when it is released.
final class ServiceConnection: Sendable {
  /// The service's address.
  enum Address: Hashable, Sendable, CustomStringConvertible {
    /// The path of the service's Unix socket; the operating system identifies this process.
    case socket(String)
    /// `http://host:port` or `https://host:port`; a token is required.
    case url(String)

    var description: String {
      switch self {
      case .socket(let text), .url(let text): text
      }
    }
  }

  /// The limit of a reply that is read as a whole, in bytes.
  static let replyByteCountMax = 1 << 26

  let address: Address
  private let token: String?
  private let timeout: Duration
  /// The transfer loop; nil after `close()`, or if the loop could not be created.
  private let loop: Mutex<TransferLoop?>

  /// Creates a client; opens no connection yet.
  ///
  /// - Parameter timeout: the timeout of a reply, up to its last byte.
  init(_ endpoint: ServiceEndpoint, timeout: Duration) {
    address = endpoint.address
    token = endpoint.token
    self.timeout = timeout
    loop = Mutex(try? TransferLoop(TransferSettings()))
  }

  /// Closes the connections; later requests fail.
  func close() {
    loop.withLock { $0 = nil }
  }

  // MARK: - Requests

  /// Requests any path of the service (`/openapi.json` lists them).
  ///
  /// - Parameters:
  ///   - path: the path with its query; `segment` encodes values in the path.
  ///   - body: the body, whose type is in the headers; by default `application/json`.
  /// - Returns: the body of a reply with a status from 200 to 299.
  func request(
    _ method: String = "GET", _ path: String, body: [UInt8]? = nil, headers: [String: String] = [:]
  ) async throws(ConnectionError) -> [UInt8] {
    let answer = try await open(method, path, body: body, headers: headers, isStream: false)
    var bytes: [UInt8] = []
    for try await part in answer { bytes += part }
    return bytes
  }

  /// Requests a path and returns the reply as a stream.
  ///
  /// The stream may last forever, but fails after 60 seconds without a received byte.
  func stream(
    _ method: String = "GET", _ path: String, body: [UInt8]? = nil, headers: [String: String] = [:]
  ) async throws(ConnectionError) -> ServiceReply {
    try await open(method, path, body: body, headers: headers, isStream: true)
  }

  private func open(
    _ method: String, _ path: String, body: [UInt8]?, headers: [String: String], isStream: Bool
  ) async throws(ConnectionError) -> ServiceReply {
    guard let loop = loop.withLock({ $0 }) else {
      throw .unreachable(errno: nil, reason: "the client is closed, or memory is short")
    }
    let reply = loop.stream(
      transfer(method, path, body: body, headers: headers, isStream: isStream))
    let limit = isStream ? Self.silence : timeout
    let answer = ServiceReply(body: reply, timeout: limit)
    let status: Int
    do throws(StreamError) {
      status = try await reply.head().status ?? 0
    } catch {
      throw ConnectionError(error, timeout: limit)
    }
    guard !(200..<300).contains(status) else { return answer }
    let document = try await Self.beginning(of: answer)
    throw .refused(status: status, problem: try? JSONParser.parse(document))
  }

  /// How long a stream may receive nothing.
  private static let silence = Duration.seconds(60)

  /// Returns the first bytes of a reply, about `replyByteCountMax`; the whole reply if it is
  /// shorter.
  private static func beginning(of answer: ServiceReply) async throws(ConnectionError) -> [UInt8] {
    var bytes: [UInt8] = []
    for try await part in answer where bytes.count < replyByteCountMax { bytes += part }
    return bytes
  }

  private func transfer(
    _ method: String, _ path: String, body: [UInt8]?, headers: [String: String], isStream: Bool
  ) -> TransferRequest {
    var request = TransferRequest(method, origin + path)
    if case .socket(let socket) = address { request.socket = socket }
    var fields: [String: (name: String, value: String)] = [:]
    if let token { fields["authorization"] = ("Authorization", "Bearer \(token)") }
    if body != nil { fields["content-type"] = ("Content-Type", "application/json") }
    for (name, value) in headers { fields[name.lowercased()] = (name, value) }
    request.fields = Array(fields.values)
    request.body = body
    request.connectTimeout = .seconds(5)
    if isStream { request.silence = Self.silence } else { request.timeout = timeout }
    return request
  }

  private var origin: String {
    switch address {
    case .socket: "http://chimed"
    case .url(let url): url.hasSuffix("/") ? String(url.dropLast()) : url
    }
  }

  /// Encodes a text as one segment of a path or one value of a query (RFC 3986, section 3.3).
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
}
