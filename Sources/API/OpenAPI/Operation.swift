import HTTPTypes
import JSON

/// What a route takes and answers, as `/openapi.json` tells it. Queries are held to the parameters
/// here, so that what is told is what is taken.
struct Operation: Sendable {
  /// What a client generated from the document calls it.
  let identifier: String
  let summary: String
  var details: String?
  var parameters: [Parameter] = []
  var body: Body?
  var answers: [Answer]
  /// What may go wrong beside what may go wrong with every route.
  var problems: [ProblemKind] = []
  /// Whether problems come in an app's own envelope, but for those that come before the route does.
  var isEnveloped = false

  /// The query's parameters.
  var query: [Parameter] { parameters.filter { $0.place == .query } }
}

extension Operation {
  struct Parameter: Sendable {
    enum Place: String, Sendable {
      case query, header, path
    }

    let place: Place
    let name: String
    let schema: Schema
    let details: String
    var isRequired = false

    static func query(_ name: String, _ schema: Schema, _ details: String) -> Parameter {
      Parameter(place: .query, name: name, schema: schema, details: details)
    }

    /// Of a route that is about somebody whom its path does not name.
    static let recipient = query("recipient", .recipient, "Whose; who asks for others has to say")

    static func header(_ name: String, _ schema: Schema, _ details: String) -> Parameter {
      Parameter(place: .header, name: name, schema: schema, details: details)
    }

    /// Of a list that comes page by page (`Call.limit()`).
    static let page: [Parameter] = [
      .query("limit", .integer(1...1_000), "How many at most; 100 unless given"),
      .query("after", .text, "The \"next\" of the page before"),
    ]
  }

  struct Content: Sendable {
    var type = "application/json"
    let schema: Schema
    var example: JSONValue?
  }

  /// An operation that takes a parameter from a call before it (OpenAPI 3.1.1, section 4.8.20).
  struct Link: Sendable {
    /// The identifier of the operation.
    let operation: String
    let parameter: String
    /// A runtime expression, such as `$request.path.recipient`.
    let value: String

    /// To what can be asked about a person.
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
    /// Headers with what they say.
    var headers: [(name: String, details: String)] = []
    /// What can be asked next, with what this call was about.
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

    /// The same, leading on to others.
    func leading(to links: [Link]) -> Answer {
      var answer = self
      answer.links += links
      return answer
    }

    /// The same, also to be had as another type.
    func or(_ content: Content) -> Answer {
      var answer = self
      answer.contents.append(content)
      return answer
    }
  }
}
