internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// A reply whose body is read in parts, by one reader. Releasing the reply ends the request.
struct HTTPReply: Sendable {
  let headers: ReplyHeaders
  private let parts: AsyncThrowingStream<ReplyPart, any Error>
  private let timeout: Duration

  /// Waits for the head of the reply.
  ///
  /// - Parameter timeout: the timeout to name in an error.
  init(
    _ parts: AsyncThrowingStream<ReplyPart, any Error>, timeout: Duration
  ) async throws(ChimedError) {
    self.parts = parts
    self.timeout = timeout
    guard case .head(let headers)? = try await Self.part(of: parts, timeout) else {
      throw ChimedError.unreadable("it has no head")
    }
    self.headers = headers
  }

  /// Waits for the next bytes of the body and returns them; nil at the end of the body.
  func next() async throws(ChimedError) -> Data? {
    while let part = try await Self.part(of: parts, timeout) {
      if case .body(let bytes) = part { return bytes }
    }
    return nil
  }

  /// Reads the rest of the body. Throws if it is longer than `limit` bytes.
  func collect(atMost limit: Int) async throws(ChimedError) -> Data {
    var body = Data()
    while let part = try await next() {
      guard body.count + part.count <= limit else {
        throw .unreadable("it is longer than \(limit) bytes; request smaller pages")
      }
      body += part
    }
    return body
  }

  private static func part(
    of parts: AsyncThrowingStream<ReplyPart, any Error>, _ timeout: Duration
  ) async throws(ChimedError) -> ReplyPart? {
    var iterator = parts.makeAsyncIterator()
    let part: ReplyPart?
    do {
      part = try await iterator.next()
    } catch {
      throw ChimedError(error, timeout: timeout)
    }
    // In a cancelled task, the stream ends without an error.
    if part == nil, Task.isCancelled { throw .cancelled }
    return part
  }
}

extension ChimedError {
  /// Converts an error of URLSession.
  init(_ error: any Error, timeout: Duration) {
    let code = (error as? URLError)?.code
    if code == .timedOut {
      self = .late(timeout)
    } else if code == .cancelled {
      self = .cancelled
    } else {
      self = .unreachable(reason: error.localizedDescription)
    }
  }
}
