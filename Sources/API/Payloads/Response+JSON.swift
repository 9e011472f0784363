import HTTPTypes
import HummingbirdCore
import JSON

extension Response {
  /// A JSON document as `write` writes it.
  init(status: HTTPResponse.Status = .ok, json write: (inout JSONWriter) -> Void) {
    self.init(WholeResponse(status: status, json: write))
  }

  /// A problem document (RFC 9457).
  init(_ problem: Problem) {
    self.init(WholeResponse(problem))
  }
}
