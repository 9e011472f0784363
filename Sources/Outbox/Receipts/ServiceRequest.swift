/// A request of a sink's service.
package struct ServiceRequest: Sendable {
  /// The fields of the head, by their names in lower case.
  package var fields: [String: String]
  /// The query as it was sent, without the question mark; empty if there is none.
  package var query: String
  package var body: [UInt8]

  package init(fields: [String: String], query: String = "", body: [UInt8]) {
    (self.fields, self.query, self.body) = (fields, query, body)
  }
}

/// Why a request of a sink's service is not accepted. The texts contain nothing of the request.
package enum ServiceRequestError: Error, Hashable, Sendable {
  /// The request does not prove that it comes from the service.
  case forged(String)
  /// The request does not have the form that the service documents.
  case malformed(String)
}
