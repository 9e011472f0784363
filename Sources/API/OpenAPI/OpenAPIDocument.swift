import Access
import HTTPTypes
import JSON
import Reminders

/// The description of the whole interface (OpenAPI 3.1.1), made of the routes themselves and of
/// what the loaded catalogs declare: their events and their settings.
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
        Reminders and notifications: facts about people go in, and what is due for them comes \
        out. Errors are problem documents (RFC 9457) that say what to do.
        """,
      ],
      "servers": [["url": "/", "description": "The service that this document comes from"]],
      "tags": OperationTag.json,
      "paths": .object(paths),
      "components": [
        "schemas": .object(schemas.json),
        "securitySchemes": [
          "bearer": [
            "type": "http", "scheme": "bearer",
            "description": """
            A token of chimectl token create, or a JWT, which is its subject's; over the Unix \
            socket the system vouches for the caller, who is an administrator. An operation names \
            the scopes that may ask for it: admin for everything; support for people, but no \
            tokens, backup, reload and erasure; observer for how the service is; recipient for \
            what is that person's own.
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
      path[route.method.rawValue.lowercased()] = .object(route.description(&schemas))
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
  /// Who may ask it, what it takes and what it answers.
  fileprivate func description(_ schemas: inout ComponentSchemas) -> JSONObject {
    var operation = operation
    if takesRecipient { operation.parameters.append(.recipient) }
    if !isForEveryone { operation.problems += [.unauthenticated, .forbidden, .tooManyRequests] }
    var json = operation.json(path: names)
    json["tags"] = [.string(OperationTag(path: template).rawValue)]
    // Roles of a scheme other than OAuth's are told and not asked for (OpenAPI 3.1.1, 4.8.30);
    // each is enough by itself.
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

  /// Those of which each may ask for it.
  private var scopes: [String] {
    switch answer {
    case .everyone: []
    case .service(let right, _), .person(let right, _): right.scopes
    case .recipient, .caller: AccessScope.Right.support.scopes + ["recipient"]
    }
  }
}

extension JSONValue {
  /// A body or an answer, each of its media types with a schema that has a name.
  fileprivate func withNamedSchemas(
    _ name: String, _ schemas: inout ComponentSchemas
  ) -> JSONValue {
    guard case .object(var object) = self, case .object(var content)? = object["content"] else {
      return self
    }
    for media in content {
      guard case .object(var described) = media.value, let schema = described["schema"] else {
        continue
      }
      described["schema"] = schemas.named(schema, name)
      content[media.key] = .object(described)
    }
    object["content"] = .object(content)
    return .object(object)
  }
}
