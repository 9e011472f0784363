package import CivilTime
package import JSON
package import Reminders

/// The message that withdraws a delivery, without its texts (rule D16).
package struct WithdrawnDelivery: Document {
  private let delivery: Delivery
  /// The instant of the decision to withdraw the delivery.
  package let at: Instant

  /// Returns nil for a delivery that is not withdrawn.
  package init?(_ delivery: Delivery) {
    guard let at = delivery.withdrawnAt else { return nil }
    (self.delivery, self.at) = (delivery, at)
  }

  package var identifier: String { delivery.identifier }
  package var fullIdentifier: String { delivery.fullIdentifier }

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", delivery.identifier)
    writer.member("recipient", delivery.recipient)
    writer.member("reminder", delivery.reminder)
    writer.member("category", delivery.category)
    writer.member("channel", delivery.channel.name)
    writer.member("at", at.description)
    writer.endObject()
  }
}
