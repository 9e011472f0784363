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
    [
      "openapi": "3.1.1",
      "info": [
        "title": "chimed",
        "version": "1",
        "description": """
        Reminders and notifications: facts about people go in, and what is due for them comes \
        out. Errors are problem documents (RFC 9457) that say what to do.
        """,
      ],
      "paths": .object(paths),
      "components": [
        "schemas": .object(schemas),
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

  private var paths: JSONObject {
    var paths = JSONObject()
    for route in routes {
      var path = paths[route.template]?.objectValue ?? JSONObject()
      path[route.method.rawValue.lowercased()] = .object(route.description)
      paths[route.template] = .object(path)
    }
    return paths
  }

  private var schemas: JSONObject {
    var schemas = JSONObject()
    for component in Component.allCases {
      schemas[component.rawValue] = .object(component.schema(catalog).json)
    }
    return schemas
  }
}

extension Route {
  /// What it takes and answers, to whom.
  fileprivate var description: JSONObject {
    var operation = operation
    if takesRecipient {
      operation.parameters.append(
        .query("recipient", .recipient, "Whose; who asks for others has to say"))
    }
    if !isForEveryone { operation.problems += [.unauthenticated, .forbidden, .tooManyRequests] }
    var json = operation.json(path: names)
    // Roles of a scheme other than OAuth's are told and not asked for (OpenAPI 3.1.1, 4.8.30);
    // each is enough by itself.
    json["security"] = .array(scopes.map { ["bearer": [.string($0)]] })
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
