import HTTPTypes
import HummingbirdCore
import JSON
import NIOCore

/// A response that is there as a whole, before any of it is sent.
struct WholeResponse: Sendable {
  var head: HTTPResponse
  let body: ByteBuffer

  /// A JSON document as `write` writes it.
  init(
    status: HTTPResponse.Status = .ok, type: String = "application/json",
    json write: (inout JSONWriter) -> Void
  ) {
    var writer = JSONWriter(reservingCapacity: 256)
    write(&writer)
    body = ByteBuffer(bytes: writer.bytes)
    head = HTTPResponse(
      status: status,
      headerFields: [.contentType: type, .contentLength: String(body.readableBytes)])
  }

  /// A problem document (RFC 9457).
  init(_ problem: Problem) {
    self.init(
      status: problem.kind.status, type: "application/problem+json", json: problem.write)
    for field in problem.headers { head.headerFields[field.name] = field.value }
  }
}

extension Response {
  init(_ whole: WholeResponse) {
    self.init(
      status: whole.head.status, headers: whole.head.headerFields,
      body: ResponseBody(byteBuffer: whole.body))
  }
}
