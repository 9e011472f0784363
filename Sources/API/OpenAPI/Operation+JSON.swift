import HTTPTypes
import JSON

extension Operation {
  /// Problems that every operation may respond with.
  private static let commonProblems: [ProblemKind] = [
    .invalidParameter, .unavailable, .storageFull, .unexpected,
  ]
  /// Problems of every operation with a body.
  private static let bodyProblems: [ProblemKind] = [.malformedText, .slowBody, .bodyTooLarge]

  /// The operation object (OpenAPI 3.1.1, section 4.8.10).
  ///
  /// - Parameter path: the names of the path's variable segments.
  func json(path: [String]) -> JSONObject {
    var json: JSONObject = [
      "operationId": .string(identifier), "summary": .string(summary),
    ]
    if let details { json["description"] = .string(details) }
    let allParameters = path.map(Parameter.path) + parameters
    if !allParameters.isEmpty {
      json["parameters"] = .array(allParameters.map { .object($0.json) })
    }
    if let body {
      json["requestBody"] = ["required": true, "content": .object(Self.json(body.contents))]
    }
    json["responses"] = .object(responses)
    return json
  }

  private var responses: JSONObject {
    var responses = JSONObject()
    for answer in answers { responses[String(answer.status.code)] = .object(answer.json) }
    for (status, kinds) in problemsByStatus where responses[status] == nil {
      let titles = kinds.map(\.title).joined(separator: "; ")
      responses[status] = [
        "description": .string(titles), "content": .object(Self.json(problemContents)),
      ]
    }
    return responses
  }

  private var problemContents: [Content] {
    let problem = Content(type: "application/problem+json", schema: .reference(.problem))
    return isEnveloped ? [problem, Content(schema: .reference(.failure))] : [problem]
  }

  private var problemsByStatus: [(status: String, kinds: [ProblemKind])] {
    let kinds = Set(Self.commonProblems + (body == nil ? [] : Self.bodyProblems) + problems)
    let byStatus = Dictionary(grouping: kinds) { String($0.status.code) }
    return byStatus.map { ($0.key, $0.value.sorted { $0.rawValue < $1.rawValue }) }
      .sorted { $0.status < $1.status }
  }

  fileprivate static func json(_ contents: [Content]) -> JSONObject {
    var json = JSONObject()
    for content in contents {
      var mediaType: JSONObject = ["schema": .object(content.schema.json)]
      if let example = content.example { mediaType["example"] = example }
      json[content.type] = .object(mediaType)
    }
    return json
  }
}

extension Operation.Answer {
  fileprivate var json: JSONObject {
    var json: JSONObject = ["description": .string(details)]
    if !contents.isEmpty { json["content"] = .object(Operation.json(contents)) }
    if !headers.isEmpty { json["headers"] = .object(headersJSON) }
    if !links.isEmpty { json["links"] = .object(linksJSON) }
    return json
  }

  private var headersJSON: JSONObject {
    var json = JSONObject()
    for header in headers {
      json[header.name] = [
        "description": .string(header.details), "schema": .object(Schema.text.json),
      ]
    }
    return json
  }

  private var linksJSON: JSONObject {
    var json = JSONObject()
    for link in links {
      json[link.operation] = [
        "operationId": .string(link.operation), "parameters": [link.parameter: .string(link.value)],
      ]
    }
    return json
  }
}

extension Operation.Parameter {
  /// The parameter of a variable path segment.
  static func path(_ name: String) -> Self {
    let (schema, details) =
      switch name {
      case "recipient", "customer": (Schema.recipient, "The recipient's id, given by the app")
      default: (Schema.text(1...256), "The \(name)")
      }
    return Self(location: .path, name: name, schema: schema, details: details, isRequired: true)
  }

  fileprivate var json: JSONObject {
    var json: JSONObject = [
      "name": .string(name), "in": .string(location.rawValue), "description": .string(details),
      "schema": .object(schema.json),
    ]
    if isRequired { json["required"] = true }
    return json
  }
}

extension Schema {
  /// A recipient's id: 1 to 128 bytes without control characters.
  static let recipient = Schema(
    type: "string",
    [
      "minLength": 1, "maxLength": 128, "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f]+$",
      "examples": ["u1"],
    ]
  )
}
