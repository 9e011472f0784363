import HTTPTypes
import JSON
import NIOCore

/// How a body contains events, by its content type (rule E4).
enum EventFormat: Sendable {
  /// One event.
  case single
  /// An array of events.
  case batch
  /// One event or an array, decided by the body.
  case singleOrBatch
  /// One event per line.
  case lines
  /// One event with its attributes in headers and its data in the body.
  case binary

  /// Reads the content type. Throws if the type is not supported, or if the body is compressed or
  /// not in UTF-8.
  init(_ headers: HTTPFields) throws(Problem) {
    if let encoding = headers[.contentEncoding], encoding.lowercased() != "identity" {
      throw Self.problem("the body has the encoding \(encoding.shortened); send it without one")
    }
    let isBinary = BinaryEvent.isDeclared(by: headers)
    guard let contentType = headers[.contentType] else {
      if isBinary {
        self = .binary
        return
      }
      throw Self.problem("the content type is missing; use one of \(Self.list)")
    }
    // The usual spelling needs no parsing.
    if !isBinary, let format = Self.formats.first(where: { $0.type == contentType })?.format {
      self = format
      return
    }
    let parts = contentType.lowercased().split(separator: ";").map(Self.trimmed)
    let declared = Self.formats.first { $0.type == parts.first ?? "" }?.format
    let binary = isBinary && (parts.first ?? "").hasSuffix("json") ? EventFormat.binary : nil
    guard let format = isBinary ? binary : declared else {
      throw Self.problem(
        "the content type \(contentType.shortened) is not supported; use one of \(Self.list)")
    }
    for part in parts.dropFirst() where part.hasPrefix("charset=") {
      guard ["charset=utf-8", "charset=\"utf-8\"", "charset=us-ascii"].contains(part) else {
        throw Self.problem("the content type has the \(part.shortened); send UTF-8")
      }
    }
    self = format
  }

  /// Whether the body may be a batch, which has a higher size limit (rule H3).
  var mayBeBatch: Bool {
    switch self {
    case .batch, .singleOrBatch: true
    case .single, .lines, .binary: false
    }
  }

  private static let formats: [(type: Substring, format: EventFormat)] = [
    ("application/cloudevents+json", .single), ("application/json", .singleOrBatch),
    ("application/cloudevents-batch+json", .batch), ("application/x-ndjson", .lines),
    ("application/ndjson", .lines), ("application/jsonl", .lines),
  ]

  private static var list: String { formats.map(\.type).joined(separator: ", ") }

  private static func problem(_ detail: String) -> Problem {
    Problem(.unsupportedMediaType, detail, headers: [.acceptPost: list])
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text
    while text.first == " " || text.first == "\t" { text.removeFirst() }
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return text
  }
}

extension HTTPField.Name {
  /// The content types that a path accepts (W3C Linked Data Platform 1.0, section 7.1).
  static let acceptPost = HTTPField.Name("Accept-Post") ?? .accept
}

extension Substring {
  fileprivate var shortened: String { String(self).shortened }
}

/// An event in the binary mode of the CloudEvents HTTP binding (version 1.0.2, section 3.1). The
/// headers that begin with `ce-` are its attributes, and the body is its data.
struct BinaryEvent {
  private static let prefix = "ce-"
  private static let version = HTTPField.Name("ce-specversion")

  /// Whether headers declare the binary mode. A content type of another CloudEvents mode takes
  /// precedence.
  static func isDeclared(by headers: HTTPFields) -> Bool {
    guard let version, headers.contains(version) else { return false }
    return headers[.contentType]?.lowercased().hasPrefix("application/cloudevents") != true
  }

  /// The event as the JSON object of the structured mode.
  let value: JSONValue

  init(_ headers: HTTPFields, data: ByteBuffer, _ parser: JSONParser) throws(Problem) {
    var object = JSONObject()
    for field in headers where field.name.canonicalName.hasPrefix(Self.prefix) {
      let name = String(field.name.canonicalName.dropFirst(Self.prefix.count))
      guard object[name] == nil else {
        throw Problem(.malformedEvent, "the header \(field.name) is repeated", path: name)
      }
      object[name] = .string(try Self.decoded(field))
    }
    if data.readableBytes > 0 {
      switch data.withUnsafeReadableBytes(parser.result) {
      case .success(let value): object["data"] = value
      case .failure(let error): throw Problem(error)
      }
    }
    value = .object(object)
  }

  /// Decodes percent-encoding (section 3.1.3.2).
  private static func decoded(_ field: HTTPField) throws(Problem) -> String {
    if let text = PercentEncoding.decoded(field.value[...]) { return text }
    throw Problem(
      .malformedEvent, "the header \(field.name) is not percent-encoded UTF-8",
      path: String(field.name.canonicalName.dropFirst(prefix.count)))
  }
}
