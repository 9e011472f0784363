package import HTTPTypes
package import Reminders

/// What a sink sends, by the method of the URL that it goes to.
///
/// A field's value cannot hold a line break or a zero byte: `HTTPTypes` puts spaces there.
package struct HTTPRequest: Sendable {
  /// What may be done to a URL.
  package enum Method: String, Sendable, CaseIterable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
  }

  package var fields: HTTPFields
  package var body: [UInt8]

  package init(fields: HTTPFields = [:], body: [UInt8]) {
    self.fields = fields
    self.body = body
  }
}

extension HTTPFields {
  /// Says which trace a request is part of (W3C Trace Context, section 3.2).
  package mutating func carry(_ trace: TraceContext?) {
    guard let trace else { return }
    if let name = HTTPField.Name("traceparent") { self[name] = trace.parent }
    if let name = HTTPField.Name("tracestate") { self[name] = trace.state }
  }
}
