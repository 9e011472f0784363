package import Cryptography
import JSON
package import Outbox

/// The paths of a reply's values in JSON: names and indices, separated by dots.
package struct JSONReplyPaths: Hashable, Sendable {
  /// The path of the phone number that the reply comes from.
  let sender: String
  let text: String
  /// The path of the reply's id.
  let id: String

  package init(sender: String, text: String, id: String) {
    (self.sender, self.text, self.id) = (sender, text, id)
  }
}

/// Reads replies of any service that sends JSON, one in a request. The answer is an object whose
/// member `answer` is the message for the person, if there is one.
package struct JSONReplyReader: ReplyReader {
  private let proof: ServiceProof
  private let paths: JSONReplyPaths

  package init(secret: Secret, signature: String?, paths: JSONReplyPaths) {
    proof = signature.map { ServiceProof.signature(secret, field: $0) } ?? .bearer(secret)
    self.paths = paths
  }

  package func reply(in request: ServiceRequest) throws(ServiceRequestError) -> ServiceReply {
    try proof.check(request)
    let document = try JSONReceiptReader.document(request.body)
    return ServiceReply(
      sender: try Self.text(at: paths.sender, "sender", in: document),
      text: try Self.text(at: paths.text, "text", in: document),
      id: try Self.text(at: paths.id, "id", in: document))
  }

  private static func text(
    at path: String, _ key: String, in document: JSONValue
  ) throws(ServiceRequestError) -> String {
    guard let text = JSONReceiptReader.text(at: path, in: document) else {
      throw .malformed("no text at the path \(path), which is the key \(key) of replies")
    }
    return text
  }

  package func answer(_ text: String?) -> ReplyAnswer {
    let object: JSONObject = text.map { ["answer": .string($0)] } ?? [:]
    return ReplyAnswer(
      contentType: "application/json",
      body: String(decoding: JSONWriter.compact(.object(object)), as: UTF8.self))
  }
}
