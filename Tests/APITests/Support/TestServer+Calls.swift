import AsyncHTTPClient
import JSON
import NIOCore
import NIOHTTP1
import Testing

/// What a server answered.
struct Reply {
  var status: Int
  var headers: HTTPHeaders
  var bytes: [UInt8]

  var text: String { String(decoding: bytes, as: UTF8.self) }
  var json: JSONValue { get throws { try JSONParser.parse(bytes) } }
  var contentType: String? { self["content-type"] }

  /// A header, by its name in lower case.
  subscript(name: String) -> String? { headers.first(name: name) }

  /// The documents of an answer that has one on each line.
  var lines: [JSONValue] {
    get throws { try text.split(separator: "\n").map { try JSONParser.parse(String($0)) } }
  }
}

extension TestServer {
  func get(_ path: String) async throws -> Reply {
    try await call("GET", path)
  }

  func get(_ path: String, bearing token: String) async throws -> Reply {
    try await call("GET", path, headers: ["authorization": "Bearer \(token)"])
  }

  func post(
    _ body: String, as type: String? = "application/json", to path: String = "/v1/events"
  ) async throws -> Reply {
    try await call("POST", path, headers: type.map { ["content-type": $0] } ?? [:], body: body)
  }

  /// Calls, and holds the answer against the description of the interface.
  func call(
    _ method: String, _ path: String, headers: [String: String] = [:], body: String? = nil,
    isOverTCP: Bool = false
  ) async throws -> Reply {
    let reply = try await perform(
      method, path, headers: headers, body: body, isOverTCP: isOverTCP)
    let undescribed = try await undescribed(reply, method, path)
    #expect(undescribed == [], "/openapi.json should tell what \(method) \(path) answers")
    return reply
  }

  func perform(
    _ method: String, _ path: String, headers: [String: String] = [:], body: String? = nil,
    isOverTCP: Bool = false
  ) async throws -> Reply {
    let host = socket.split(separator: "/").map { "%2F" + $0 }.joined()
    let origin = isOverTCP ? "http://\(address)" : "http+unix://\(host)"
    var request = HTTPClientRequest(url: origin + path)
    request.method = HTTPMethod(rawValue: method)
    request.headers = HTTPHeaders(headers.map { ($0, $1) })
    if let body { request.body = .bytes(ByteBuffer(string: body)) }
    let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
    let bytes = try await response.body.collect(upTo: 1 << 26)
    return Reply(
      status: Int(response.status.code), headers: response.headers,
      bytes: Array(bytes.readableBytesView))
  }
}
