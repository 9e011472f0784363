import HTTPTypes
import HummingbirdCore
import NIOCore

/// A request with its parsed and decoded URL, as its route receives it.
struct Call: Sendable {
  let request: Request
  /// The connection of the request.
  let scope: RequestScope
  /// The authenticated caller; nil if the route is public.
  let caller: Caller?
  /// The values of the path's variable segments, in order, without `{recipient}`.
  let segments: [String]
  /// The parameters of the query; all are known to the route.
  let parameters: [String: String]
  /// The descriptions of the allowed parameters.
  let allowedParameters: [Operation.Parameter]
  /// Details for the journal, if the request changes something.
  let audit = AuditNote()
}

extension Call {
  /// Reads the whole body, within the limits of length and time.
  ///
  /// - Parameters:
  ///   - length: the maximum in bytes; nil for `limits.body`.
  ///   - remedy: the advice to the sender of a longer body.
  func body(
    within limits: APILimits, upTo length: Int? = nil, remedy: String = "send a shorter one"
  ) async throws(Problem) -> ByteBuffer {
    let length = length ?? limits.body
    let declaredLength = request.headers[.contentLength].flatMap { Int($0) }
    if let declaredLength, declaredLength > length { throw Self.tooLarge(length, remedy) }
    let deadline = Deadline(after: limits.bodyDeadline, on: scope.channel)
    defer { deadline.cancel() }
    let body: ByteBuffer
    do {
      body = try await request.body.collect(upTo: length)
    } catch {
      if error is Deadline.ExceededError { scope.permit.count(.slowBody) }
      if error is NIOTooManyBytesError { throw Self.tooLarge(length, remedy) }
      throw Self.problem(error, limits)
    }
    // A closed connection may look like the end of the body.
    if let declaredLength, declaredLength != body.readableBytes { throw Self.incomplete }
    return body
  }

  private static func problem(_ error: any Error, _ limits: APILimits) -> Problem {
    guard error is Deadline.ExceededError else { return incomplete }
    return Problem(
      .slowBody,
      "the body did not arrive within \(limits.bodyDeadline.components.seconds) s; "
        + "nothing was changed; send it again")
  }

  static func tooLarge(_ length: Int, _ remedy: String) -> Problem {
    Problem(
      .bodyTooLarge, "the body is longer than \(length) bytes; nothing was changed; \(remedy)")
  }

  private static var incomplete: Problem {
    Problem(
      .malformedText,
      "the connection ended before the body did; nothing was changed; "
        + "send it again")
  }
}
