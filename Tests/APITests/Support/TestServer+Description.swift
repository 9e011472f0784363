import JSON
import Testing

extension TestServer {
  /// Validates a response against `/openapi.json` for its path, method and status (rule H2).
  ///
  /// - Returns: the mismatches; none if the path is not described and the response is a 404.
  func undescribed(_ reply: Reply, _ method: String, _ path: String) async throws -> [String] {
    let document = try await perform("GET", "/openapi.json").json
    let plain = String(path.prefix { $0 != "?" })
    guard let operations = Self.operations(of: plain, in: document) else {
      return reply.status == 404 ? [] : ["\(path) is not described and answered \(reply.status)"]
    }
    guard let operation = operations[method.lowercased()] else {
      return method == "HEAD" || reply.status == 405 ? [] : ["\(method) \(path) is not described"]
    }
    guard let response = operation["responses"]?[String(reply.status)] else {
      return ["\(method) \(path): the status \(reply.status) is not described: \(reply.text)"]
    }
    return try findings(reply, response, document).map { "\(method) \(path): \($0)" }
  }

  private func findings(
    _ reply: Reply, _ response: JSONValue, _ document: JSONValue
  ) throws -> [String] {
    let type = reply.contentType.map { String($0.prefix { $0 != ";" }) } ?? ""
    guard let content = response["content"] else {
      return reply.bytes.isEmpty ? [] : ["a body that is not described"]
    }
    guard let schema = content[type]?["schema"] else { return ["\(type) is not described"] }
    guard type.hasSuffix("json"), !type.hasSuffix("ndjson") else { return [] }
    return SchemaCheck(document: document).findings(try reply.json, schema)
  }

  private static func operations(of path: String, in document: JSONValue) -> JSONValue? {
    let segments = path.split(separator: "/", omittingEmptySubsequences: false)
    return document["paths"]?.objectValue?.first { template in
      let wanted = template.key.split(separator: "/", omittingEmptySubsequences: false)
      return wanted.count == segments.count
        && zip(wanted, segments).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }?.value
  }
}
