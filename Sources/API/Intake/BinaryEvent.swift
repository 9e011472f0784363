import HTTPTypes
import JSON
import NIOCore

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
