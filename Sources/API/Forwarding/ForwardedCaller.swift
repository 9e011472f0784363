import Access
import CivilTime
import HTTPTypes
import JSON

/// Who makes a request that another node passes on (rule F9): what that node has found, for where
/// nodes connect, and to be believed nowhere else.
extension Caller {
  /// For the field `forwardedCaller`.
  var forwarded: String {
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

  init(forwarded headers: HTTPFields) throws(Problem) {
    let fields = headers[values: .forwardedCaller]
    guard fields.count == 1, let bytes = Base64URL.decoded(fields[0]),
      let document = try? JSONParser.parse(bytes),
      let scope = document["scope"]?.stringValue.flatMap({ AccessScope($0) }),
      let name = document["name"]?.stringValue
    else {
      throw Problem(
        .unauthenticated,
        "only the nodes of the fleet ask here, and say in whose name; ask where clients do")
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
