package import HTTPTypes

/// What a sink sends: always a POST.
///
/// A field's value cannot hold a line break or a zero byte: `HTTPTypes` puts spaces there.
package struct HTTPRequest: Sendable {
  package var fields: HTTPFields
  package var body: [UInt8]

  package init(fields: HTTPFields = [:], body: [UInt8]) {
    self.fields = fields
    self.body = body
  }
}
