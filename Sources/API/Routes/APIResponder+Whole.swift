import Access
import Engine
import HTTPTypes
import NIOCore

extension APIResponder {
  /// Submits an app's events, if the body is readable. Creates a task only if other nodes may own
  /// the recipients. Every other request, and every refusal, is left to `respond`.
  ///
  /// - Returns: whether the events were submitted, so that `answer` will be called.
  @Sendable func submitEvents(
    _ head: PlainRequestHead.EventFields, _ body: ByteBuffer, from origin: ConnectionOrigin,
    then answer: @escaping EventRequestHandler.Answer
  ) -> Bool {
    guard let app = app(sending: head, origin),
      let group = try? events.group(head.fields, body, app)
    else { return false }
    group.submit(to: events.intake) { [now, responses] results in
      answer {
        var response = EventRoute.response(results.map(group.answers), of: group)
        responses.count(response.head.status)
        response.head.headerFields.stamp(at: now())
        return response
      }
    }
    return true
  }

  /// Returns the app that sends the request; nil if `respond` has to handle the request.
  private func app(
    sending head: PlainRequestHead.EventFields, _ origin: ConnectionOrigin
  ) -> Caller? {
    do {
      try hosts.check(head.authority, from: origin)
      guard !hosts.isFromOtherSite(head.fields, of: head.authority) else { return nil }
      // The bearer of a web token is a recipient, not an app, and verifying the token twice would
      // cost more than a task.
      if case .webToken = try BearerCredentials(head.fields) { return nil }
      let caller = try authenticator.caller(sending: head.fields, from: origin)
      return caller.scope.isApp ? caller : nil
    } catch {
      return nil
    }
  }
}
