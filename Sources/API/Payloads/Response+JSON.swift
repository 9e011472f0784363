import HTTPTypes
import HummingbirdCore
import JSON
import NIOCore

extension Response {
  /// A JSON document as `write` writes it.
  init(status: HTTPResponse.Status = .ok, json write: (inout JSONWriter) -> Void) {
    var writer = JSONWriter(reservingCapacity: 256)
    write(&writer)
    self.init(
      status: status, headers: [.contentType: "application/json"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: writer.bytes)))
  }

  /// A problem document (RFC 9457).
  init(_ problem: Problem) {
    self.init(status: problem.kind.status, json: problem.write)
    headers[.contentType] = "application/problem+json"
    for field in problem.headers { headers[field.name] = field.value }
  }
}
