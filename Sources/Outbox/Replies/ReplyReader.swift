/// Reads the replies of people that a sink's service forwards (rule D14).
package protocol ReplyReader: Sendable {
  /// Returns the reply in a request.
  func reply(in request: ServiceRequest) throws(ServiceRequestError) -> ServiceReply

  /// Returns the body that answers the service's request.
  ///
  /// - Parameter text: the message that the service sends back to the person; nil for none.
  func answer(_ text: String?) -> ReplyAnswer
}

/// A reply as a sink's service forwards it.
package struct ServiceReply: Hashable, Sendable {
  /// The telephone number of the person, as the service writes it.
  package var sender: String
  package var text: String
  /// The service's id of the reply. A repeated request has the same id.
  package var id: String

  package init(sender: String, text: String, id: String) {
    (self.sender, self.text, self.id) = (sender, text, id)
  }
}

/// The answer to a request with a reply.
package struct ReplyAnswer: Hashable, Sendable {
  package let contentType: String
  package let body: String

  package init(contentType: String, body: String) {
    (self.contentType, self.body) = (contentType, body)
  }
}
