import HTTPTransfers
import JSON
import NIOHTTP1
import Testing

/// A response of a server.
struct Reply {
  var status: Int
  var headers: HTTPHeaders
  var bytes: [UInt8]

  var text: String { String(decoding: bytes, as: UTF8.self) }
  var json: JSONValue { get throws { try JSONParser.parse(bytes) } }
  var contentType: String? { self["content-type"] }

  /// A header field by its name in lower case.
  subscript(name: String) -> String? { headers.first(name: name) }

  /// The documents of a response with one JSON document on each line.
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

  /// Sends a request, and validates the response against `/openapi.json`.
  func call(
    _ method: String, _ path: String, headers: [String: String] = [:], body: String? = nil,
    isOverTCP: Bool = false
  ) async throws -> Reply {
    let reply = try await perform(
      method, path, headers: headers, body: body, isOverTCP: isOverTCP)
    let mismatches = try descriptionMismatches(of: reply, method, path)
    #expect(mismatches == [], "/openapi.json does not describe this answer of \(method) \(path)")
    return reply
  }

  /// Sends a request without validating the response.
  func perform(
    _ method: String, _ path: String, headers: [String: String] = [:], body: String? = nil,
    isOverTCP: Bool = false
  ) async throws -> Reply {
    let origin = isOverTCP ? "http://\(address)" : "http://chimed"
    var request = TransferRequest(method, origin + path)
    request.socket = isOverTCP ? nil : socket
    request.fields = headers.map { ($0, $1) }
    // Some tests count the open connections, so a call leaves none open.
    if isOverTCP { request.fields.append(("Connection", "close")) }
    request.body = body.map { Array($0.utf8) }
    request.timeout = .seconds(60)
    let reply = try await Self.loop.get().reply(to: request, bodyMax: 1 << 26)
    let status = try #require(reply.head.status, "\(method) \(path): \(reply.outcome)")
    try #require(reply.outcome == .whole, "\(method) \(path): \(reply.outcome)")
    return Reply(status: status, headers: HTTPHeaders(reply.head.fields), bytes: reply.body)
  }

  private static let loop = Result { () throws(TransferError) in
    try TransferLoop(TransferSettings())
  }
}
