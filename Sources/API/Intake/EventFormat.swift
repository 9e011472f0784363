import HTTPTypes
import JSON
import NIOCore

/// How a body carries events, told by its content type (rule E4).
enum EventFormat: Sendable {
  /// One event.
  case single
  /// An array of events.
  case batch
  /// Either, whichever it turns out to be.
  case singleOrBatch
  /// An event on each line.
  case lines
  /// One event, whose attributes are headers and whose data is the body.
  case binary

  /// Reads the content type and checks that the body is plain UTF-8.
  init(_ headers: HTTPFields) throws(Problem) {
    if let encoding = headers[.contentEncoding], encoding.lowercased() != "identity" {
      throw Self.problem("the body is encoded as \(encoding.shortened); send it as it is")
    }
    let isBinary = BinaryEvent.isSaid(by: headers)
    guard let contentType = headers[.contentType] else {
      if isBinary {
        self = .binary
        return
      }
      throw Self.problem("the content type is missing; give one of \(Self.list)")
    }
    // Nearly all of them are written like this.
    if !isBinary, let format = Self.known.first(where: { $0.type == contentType })?.format {
      self = format
      return
    }
    let parts = contentType.lowercased().split(separator: ";").map(Self.trimmed)
    let known = Self.known.first { $0.type == parts.first ?? "" }?.format
    let binary = isBinary && (parts.first ?? "").hasSuffix("json") ? EventFormat.binary : nil
    guard let format = isBinary ? binary : known else {
      throw Self.problem(
        "the content type \(contentType.shortened) is not known here; give one of \(Self.list)")
    }
    for part in parts.dropFirst() where part.hasPrefix("charset=") {
      guard ["charset=utf-8", "charset=\"utf-8\"", "charset=us-ascii"].contains(part) else {
        throw Self.problem("the text is said to have the \(part.shortened); send UTF-8")
      }
    }
    self = format
  }

  /// Whether it may be a batch, which may be longer than anything else (rule H3).
  var mayBeBatch: Bool {
    switch self {
    case .batch, .singleOrBatch: true
    case .single, .lines, .binary: false
    }
  }

  private static let known: [(type: Substring, format: EventFormat)] = [
    ("application/cloudevents+json", .single), ("application/json", .singleOrBatch),
    ("application/cloudevents-batch+json", .batch), ("application/x-ndjson", .lines),
    ("application/ndjson", .lines), ("application/jsonl", .lines),
  ]

  private static var list: String { known.map(\.type).joined(separator: ", ") }

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
  /// The content types that a path takes (W3C Linked Data Platform 1.0, section 7.1).
  static let acceptPost = HTTPField.Name("Accept-Post") ?? .accept
}

extension Substring {
  fileprivate var shortened: String { String(self).shortened }
}

/// An event in the binary mode of CloudEvents' binding to HTTP (version 1.0.2, section 3.1): its
/// attributes are headers that begin with `ce-`, and the body is its data.
struct BinaryEvent {
  private static let prefix = "ce-"
  private static let version = HTTPField.Name("ce-specversion")

  /// Whether headers say so. What is sent as CloudEvents of another mode is what it says it is.
  static func isSaid(by headers: HTTPFields) -> Bool {
    guard let version, headers.contains(version) else { return false }
    return headers[.contentType]?.lowercased().hasPrefix("application/cloudevents") != true
  }

  /// The event as it looks in structured mode.
  let value: JSONValue

  init(_ headers: HTTPFields, data: ByteBuffer, _ parser: JSONParser) throws(Problem) {
    var object = JSONObject()
    for field in headers where field.name.canonicalName.hasPrefix(Self.prefix) {
      let name = String(field.name.canonicalName.dropFirst(Self.prefix.count))
      guard object[name] == nil else {
        throw Problem(.malformedEvent, "the header \(field.name) is there twice", path: name)
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

  /// What a header cannot hold is percent-encoded (section 3.1.3.2).
  private static func decoded(_ field: HTTPField) throws(Problem) -> String {
    if let text = PercentEncoding.decoded(field.value[...]) { return text }
    throw Problem(
      .malformedEvent, "the header \(field.name) is not percent-encoded UTF-8",
      path: String(field.name.canonicalName.dropFirst(prefix.count)))
  }
}
