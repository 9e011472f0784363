import HTTPTypes
import JSON

/// The description of a route in `/openapi.json`. Queries are validated against its parameters, so
/// the document and the behaviour agree.
struct Operation: Sendable {
  /// The name in generated clients.
  let identifier: String
  let summary: String
  /// A longer description, as Markdown; nil if the summary is enough.
  var details: String?
  var parameters: [Parameter] = []
  var body: Body?
  /// The successful responses.
  var answers: [Answer]
  /// The problems in addition to those of every route.
  var problems: [ProblemKind] = []
  /// Whether the route's problems use the app's own envelope. Problems that are found before the
  /// route runs do not.
  var isEnveloped = false

  /// The query's parameters.
  var query: [Parameter] { parameters.filter { $0.location == .query } }
}

extension Operation {
  struct Parameter: Sendable {
    enum Location: String, Sendable {
      case query, header, path
    }

    let location: Location
    let name: String
    let schema: Schema
    let details: String
    var isRequired = false

    static func query(_ name: String, _ schema: Schema, _ details: String) -> Parameter {
      Parameter(location: .query, name: name, schema: schema, details: details)
    }

    /// The recipient of a route whose path does not contain one.
    static let recipient = query(
      "recipient", .recipient, "The recipient; required unless the token is a recipient's own")

    static func header(_ name: String, _ schema: Schema, _ details: String) -> Parameter {
      Parameter(location: .header, name: name, schema: schema, details: details)
    }

    /// The parameters of a paged list (`Call.limit()`).
    static let page: [Parameter] = [
      .query("limit", .integer(1...1_000), "The maximum number of items; default: 100"),
      .query("after", .text, "The \"next\" of the previous page"),
    ]
  }

  struct Content: Sendable {
    /// The media type.
    var type = "application/json"
    let schema: Schema
    var example: JSONValue?
  }

  /// A follow-up operation, and the parameter whose value is in this operation's request or answer
  /// (OpenAPI 3.1.1, section 4.8.20).
  struct Link: Sendable {
    /// The identifier of the operation.
    let operation: String
    /// The parameter of the linked operation that gets the value.
    let parameter: String
    /// A runtime expression, such as `$request.path.recipient`.
    let value: String

    /// Links to the operations about a recipient.
    static func recipient(from value: String) -> [Link] {
      ["pending", "ahead", "preferences", "changePreferences"].map {
        Link(operation: $0, parameter: "recipient", value: value)
      }
    }
  }

  struct Body: Sendable {
    let contents: [Content]

    init(_ contents: Content...) {
      self.contents = contents
    }
  }

  struct Answer: Sendable {
    var status: HTTPResponse.Status = .ok
    let details: String
    var contents: [Content] = []
    /// The response headers, with their descriptions.
    var headers: [(name: String, details: String)] = []
    /// The follow-up operations, each with the parameter whose value is in this operation.
    var links: [Link] = []

    init(
      status: HTTPResponse.Status = .ok, _ details: String, _ schema: Schema? = nil,
      type: String = "application/json", example: JSONValue? = nil,
      headers: [(name: String, details: String)] = []
    ) {
      self.status = status
      self.details = details
      self.headers = headers
      contents = schema.map { [Content(type: type, schema: $0, example: example)] } ?? []
    }

    /// The answer with further links.
    func leading(to links: [Link]) -> Answer {
      var answer = self
      answer.links += links
      return answer
    }

    /// The answer with an alternative media type.
    func or(_ content: Content) -> Answer {
      var answer = self
      answer.contents.append(content)
      return answer
    }
  }
}
