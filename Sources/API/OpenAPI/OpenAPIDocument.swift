import Access
import HTTPTypes
import JSON
import Reminders

/// The OpenAPI 3.1.1 document of the whole API, created from the routes and from the events and
/// settings of the loaded catalogs.
struct OpenAPIDocument {
  let routes: [Route]
  let catalog: Catalog

  var json: JSONObject {
    var schemas = schemas
    let paths = paths(&schemas)
    return [
      "openapi": "3.1.1",
      "info": [
        "title": "chimed",
        "version": "1",
        "description": """
        Reminders and notifications: apps report facts about recipients, and the service sends \
        reminders when they are due. Errors are problem documents (RFC 9457) with a remedy.
        """,
      ],
      "servers": [["url": "/", "description": "The service that serves this document"]],
      "tags": OperationTag.json,
      "paths": .object(paths),
      "components": [
        "schemas": .object(schemas.json),
        "securitySchemes": [
          "bearer": [
            "type": "http", "scheme": "bearer",
            "description": """
            A token from chimectl token create, or a JWT whose subject is the recipient. Over the \
            Unix socket no token is needed: the system identifies administrators. Each operation \
            lists its scopes; one of them is enough. admin: everything. support: all recipients, \
            but no tokens, backups, reloads or erasures. observer: the status of the service. \
            report: sending events, perhaps only some types and one source. recipient: the \
            recipient's own resources.
            """,
          ]
        ],
      ],
    ]
  }

  private func paths(_ schemas: inout ComponentSchemas) -> JSONObject {
    var paths = JSONObject()
    for route in routes {
      var path = paths[route.template]?.objectValue ?? JSONObject()
      path[route.method.rawValue.lowercased()] = .object(route.operationJSON(&schemas))
      paths[route.template] = .object(path)
    }
    return paths
  }

  private var schemas: ComponentSchemas {
    var schemas = ComponentSchemas()
    let events = catalog.eventSchemas
    for component in Component.allCases { schemas.reserve(component.rawValue) }
    for event in events { schemas.reserve(event.name) }
    for component in Component.allCases {
      schemas.add(component.rawValue, component.schema(catalog))
    }
    for event in events { schemas.add(event.name, event.schema) }
    return schemas
  }
}

extension Route {
  /// Describes the route's operation with its scopes, tags and named schemas.
  fileprivate func operationJSON(_ schemas: inout ComponentSchemas) -> JSONObject {
    var operation = operation
    if hasRecipientParameter { operation.parameters.append(.recipient) }
    if !isForEveryone { operation.problems += [.unauthenticated, .forbidden, .tooManyRequests] }
    var json = operation.json(path: variableNames)
    json["tags"] = [.string(OperationTag(path: template).rawValue)]
    // For schemes other than OAuth, roles are informative (OpenAPI 3.1.1, 4.8.30). Each
    // entry is an alternative.
    json["security"] = .array(scopes.map { ["bearer": [.string($0)]] })
    let name = ComponentSchemas.typeName(operation.identifier)
    if let body = json["requestBody"] {
      json["requestBody"] = body.withNamedSchemas(name + "Body", &schemas)
    }
    var responses = json["responses"]?.objectValue ?? [:]
    for response in responses {
      responses[response.key] = response.value.withNamedSchemas(name + "Answer", &schemas)
    }
    json["responses"] = .object(responses)
    return json
  }

  private var isForEveryone: Bool {
    if case .everyone = answer { true } else { false }
  }

  /// The scopes, each of which is enough to use the route.
  private var scopes: [String] {
    switch answer {
    case .everyone: []
    case .service(let right, _), .person(let right, _): right.scopes
    case .recipient: AccessScope.Right.support.scopes + ["recipient"]
    case .caller:
      AccessScope.Right.support.scopes
        + (acceptsEvents ? ["report", "recipient"] : ["recipient"])
    }
  }
}

extension JSONValue {
  /// Returns a body or response whose nested schemas are replaced with references to named ones.
  fileprivate func withNamedSchemas(
    _ name: String, _ schemas: inout ComponentSchemas
  ) -> JSONValue {
    guard case .object(var object) = self, case .object(var content)? = object["content"] else {
      return self
    }
    for media in content {
      guard case .object(var mediaType) = media.value, let schema = mediaType["schema"] else {
        continue
      }
      mediaType["schema"] = schemas.addNested(schema, name)
      content[media.key] = .object(mediaType)
    }
    object["content"] = .object(content)
    return .object(object)
  }
}
