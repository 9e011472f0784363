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
      "components": ["schemas": .object(schemas)],
    ]
  }

  private var paths: JSONObject {
    var paths = JSONObject()
    for route in routes {
      var path = paths[route.template]?.objectValue ?? JSONObject()
      path[route.method.rawValue.lowercased()] = .object(route.operation.json(path: route.names))
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
