import Access
import CivilTime
import HTTPTypes
import JSON

/// The caller of a forwarded request, whom the forwarding node has authenticated and names in the
/// header `Chimed-Caller` (rule F9). Only the listener for nodes may trust this header.
extension Caller {
  /// The caller as the value of the header.
  var forwardedHeader: String {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("scope", scope.text)
    writer.member("name", name)
    if let bearer { writer.member("bearer", bearer) }
    if let hidesTexts {
      writer.key(constant: "hidesTexts")
      writer.value(hidesTexts)
    }
    if let arrival { writer.member("arrival", arrival.description) }
    writer.endObject()
    return Base64URL.encoded(writer.bytes)
  }

  /// Reads the caller from the headers of a forwarded request.
  init(forwarded headers: HTTPFields) throws(Problem) {
    let fields = headers[values: .forwardedCaller]
    guard fields.count == 1, let bytes = Base64URL.decoded(fields[0]),
      let document = try? JSONParser.parse(bytes),
      let scope = document["scope"]?.stringValue.flatMap({ AccessScope($0) }),
      let name = document["name"]?.stringValue
    else {
      throw Problem(
        .unauthenticated,
        "this port serves only nodes of the fleet, which name the caller; use the port for clients")
    }
    self.init(
      scope: scope, name: name, isLocal: false, bearer: document["bearer"]?.stringValue,
      hidesTexts: document["hidesTexts"]?.boolValue)
    arrival = document["arrival"]?.stringValue.flatMap { Instant($0) }
  }
}

extension HTTPField.Name {
  static let forwardedCaller = HTTPField.Name("Chimed-Caller") ?? .authorization
}
