import HTTPTypes
import HummingbirdCore
import NIOCore

extension Response {
  /// The last response of its connection, because not all of the request was read.
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
