import Engine
import JSON
import Reminders
import Synchronization

@testable import API

extension TestServer {
  private static let descriptions = Mutex<[[String]: JSONValue]>([:])

  /// The document that `/openapi.json` serves. Servers with the same routes and catalog share it,
  /// because creating and parsing it takes longer than most requests.
  var description: JSONValue {
    let catalog = service.planner.catalog
    let key = [catalog.fingerprint] + routes.map { "\($0.method) \($0.template)" }
    if let document = Self.descriptions.withLock({ $0[key] }) { return document }
    let document = JSONValue.object(OpenAPIDocument(routes: routes, catalog: catalog).json)
    Self.descriptions.withLock { $0[key] = document }
    return document
  }

  /// Validates a response against `/openapi.json` for its path, method and status (rule H2).
  ///
  /// - Returns: the mismatches; none if the path is not described and the response is a 404.
  func descriptionMismatches(
    of reply: Reply, _ method: String, _ path: String
  ) throws -> [String] {
    let document = description
    let pathWithoutQuery = String(path.prefix { $0 != "?" })
    guard let operations = Self.operations(of: pathWithoutQuery, in: document) else {
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
      let templateSegments = template.key.split(separator: "/", omittingEmptySubsequences: false)
      return templateSegments.count == segments.count
        && zip(templateSegments, segments).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }?.value
  }
}
