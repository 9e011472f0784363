import HTTPTypes
import HummingbirdCore
import NIOCore

/// A request as its route gets it, with its address taken apart and decoded.
struct Call: Sendable {
  let request: Request
  let scope: RequestScope
  /// Nil where the route is everyone's, and nobody asked who it is.
  let caller: Caller?
  /// What the path has in the place of its variable segments, in order, but for `{recipient}`.
  let segments: [String]
  /// The query's parameters, each one that the route knows.
  let parameters: [String: String]
  /// What these may be.
  let query: [Operation.Parameter]
  /// What is to be told of it when it has changed something.
  let audit = AuditNote()
}

extension Call {
  /// Reads the whole body, within the limits of length and time.
  ///
  /// - Parameter length: how long it may be; nil for what most may.
  func body(within limits: APILimits, upTo length: Int? = nil) async throws(Problem) -> ByteBuffer {
    let length = length ?? limits.body
    let announced = request.headers[.contentLength].flatMap { Int($0) }
    if let announced, announced > length { throw Self.tooLarge(length) }
    let deadline = Deadline(after: limits.bodyDeadline, on: scope.channel)
    defer { deadline.lift() }
    let body: ByteBuffer
    do {
      body = try await request.body.collect(upTo: length)
    } catch {
      if error is Deadline.Exceeded { scope.seat.count(.slowBody) }
      throw Self.problem(error, limits, length)
    }
    // The end of the connection may look like the end of the body.
    if let announced, announced != body.readableBytes { throw Self.incomplete }
    return body
  }

  private static func problem(
    _ error: any Error, _ limits: APILimits, _ length: Int
  ) -> Problem {
    switch error {
    case is Deadline.Exceeded:
      Problem(
        .slowBody,
        "the body did not arrive within \(limits.bodyDeadline.components.seconds) s; "
          + "nothing was taken in; send it again")
    case is NIOTooManyBytesError: tooLarge(length)
    default: incomplete
    }
  }

  static func tooLarge(_ length: Int) -> Problem {
    Problem(
      .bodyTooLarge,
      "the body is longer than \(length) bytes; nothing was taken in; "
        + "send smaller batches, or lines of JSON as application/x-ndjson, which may go on for ever"
    )
  }

  private static var incomplete: Problem {
    Problem(
      .malformedText,
      "the connection ended before the body did; nothing was taken in; "
        + "send it again")
  }
}
