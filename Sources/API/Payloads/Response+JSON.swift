import HTTPTypes
import HummingbirdCore
import JSON
import NIOCore

extension Response {
  /// Creates a JSON response from the output of `write`.
  init(status: HTTPResponse.Status = .ok, json write: (inout JSONWriter) -> Void) {
    self.init(WholeResponse(status: status, json: write))
  }

  init<Body: Payload>(
    _: Body.Type, _ value: Body.Value, status: HTTPResponse.Status = .ok
  ) {
    self.init(WholeResponse(Body.self, value, status: status))
  }

  /// A problem document (RFC 9457).
  init(_ problem: Problem) {
    self.init(WholeResponse(problem))
  }
}

extension Response {
  /// Returns a copy that closes the connection after it has been sent, because the request was not
  /// read to its end.
  ///
  /// - Parameter linger: the time from the end of the response until the connection is closed.
  func ending(_ channel: any Channel, after linger: Duration) -> Response {
    var response = self
    let body = self.body
    response.headers[.connection] = "close"
    response.body = ResponseBody(contentLength: body.contentLength) { writer in
      try await body.write(writer)
      channel.end(after: linger)
    }
    return response
  }
}

/// A response that is complete before it is sent.
struct WholeResponse: Sendable {
  var head: HTTPResponse
  let body: ByteBuffer

  /// Creates a JSON response from the output of `write`.
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

  init<Body: Payload>(
    _: Body.Type, _ value: Body.Value, status: HTTPResponse.Status = .ok
  ) {
    self.init(status: status) { Body.write(value, to: &$0) }
  }

  /// A problem document (RFC 9457).
  init(_ problem: Problem) {
    self.init(
      status: problem.kind.status, type: "application/problem+json",
      json: { ProblemPayload.write(problem, to: &$0) })
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
