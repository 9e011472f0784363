package import Reminders

/// Reads the reports that a sink's service sends about deliveries (rule D12).
package protocol ReceiptReader: Sendable {
  /// Returns the content of a request. Reports of states that chimed does not use, such as
  /// "queued", are left out.
  func content(of request: ServiceRequest) throws(ServiceRequestError) -> ReceiptContent
}

/// The content of a request of a sink's service.
package struct ReceiptContent: Hashable, Sendable {
  /// The reports, in order.
  package var reports: [ServiceReport]
  /// The address that an operator has to open to confirm the subscription; nil if there is none.
  package var confirmation: String?

  package init(reports: [ServiceReport] = [], confirmation: String? = nil) {
    self.reports = reports
    self.confirmation = confirmation
  }
}

/// A report that a sink's service sent about a delivery.
package struct ServiceReport: Hashable, Sendable {
  /// The id that the delivery contained.
  package var delivery: String
  package var state: DeliveryReport.State
  /// The service's words; empty if there are none.
  package var reason: String

  package init(delivery: String, state: DeliveryReport.State, reason: String = "") {
    self.delivery = delivery
    self.state = state
    self.reason = reason
  }
}
