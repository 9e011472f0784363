package import CivilTime

/// A push notification that was sent to a recipient, and that the devices may have missed.
package struct PastPush {
  /// The notification's delivery on push.
  package let delivery: Delivery
  /// Whether the recipient is known to have the notification on a device, or to have read or
  /// dismissed it.
  package let isRead: Bool
  /// The times of the devices' receipts.
  package let receipts: [Instant]

  /// The number of a recipient's latest notifications, of any outcome, that are examined.
  package static let examinedMax = 64

  package init(delivery: Delivery, isRead: Bool = false, receipts: [Instant] = []) {
    (self.delivery, self.isRead, self.receipts) = (delivery, isRead, receipts)
  }
}
