package import Cryptography
import JSON
package import Outbox
package import Reminders

/// The paths of a report's values in JSON: names and indices, separated by dots.
package struct JSONReceiptPaths: Hashable, Sendable {
  /// The path of the delivery's id.
  let id: String
  let state: String
  let reason: String

  package init(id: String, state: String, reason: String) {
    (self.id, self.state, self.reason) = (id, state, reason)
  }
}

/// Reads a service's reports about deliveries in JSON: one report, or an array of them.
package struct JSONReceiptReader: ReceiptReader {
  /// The maximum number of reports in a request.
  static let countMax = 1_000

  private let proof: ServiceProof
  private let paths: JSONReceiptPaths
  /// The states by the service's words. A report with another word is ignored.
  private let states: [String: DeliveryReport.State]

  package init(
    secret: Secret, signature: String?, paths: JSONReceiptPaths,
    states: [String: DeliveryReport.State]
  ) {
    proof = signature.map { ServiceProof.signature(secret, field: $0) } ?? .bearer(secret)
    self.paths = paths
    self.states = states
  }

  package func content(of request: ServiceRequest) throws(ServiceRequestError) -> ReceiptContent {
    try proof.check(request)
    var reports: [ServiceReport] = []
    for entry in try Self.entries(request.body) {
      guard let id = Self.text(at: paths.id, in: entry) else {
        throw .malformed("no text at the path \(paths.id), which is the key id of receipts")
      }
      guard let state = Self.text(at: paths.state, in: entry).flatMap({ states[$0] }) else {
        continue
      }
      let reason = Self.text(at: paths.reason, in: entry) ?? ""
      reports.append(ServiceReport(delivery: id, state: state, reason: reason))
    }
    return ReceiptContent(reports: reports)
  }

  static func document(_ body: [UInt8]) throws(ServiceRequestError) -> JSONValue {
    do {
      return try JSONParser.parse(body)
    } catch {
      throw .malformed("the body is not JSON")
    }
  }

  /// Returns the elements of an array, or a single value.
  ///
  /// - Throws: `malformed` if the body is not JSON, or has more than `countMax` elements.
  static func entries(_ body: [UInt8]) throws(ServiceRequestError) -> [JSONValue] {
    let document = try document(body)
    let entries = document.arrayValue ?? [document]
    guard entries.count <= countMax else {
      throw .malformed("more than \(countMax) reports; send fewer at once")
    }
    return entries
  }

  /// Returns the text or number at a path; nil if there is none.
  static func text(at path: String, in value: JSONValue) -> String? {
    var current: JSONValue? = value
    for name in path.split(separator: ".") {
      current = current?[String(name)] ?? Int(name).flatMap { current?[$0] }
    }
    return current?.stringValue ?? current?.integerValue.map(String.init)
  }
}
