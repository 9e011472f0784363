import CivilTime
import JSON
package import Reminders

/// The headers and `aps` members that control how Apple presents a notification.
package struct APNsPresentation: Sendable {
  private let delivery: Delivery

  package init(_ delivery: Delivery) {
    self.delivery = delivery
  }

  /// Whether nothing is shown: the delivery has neither title nor body, or is a withdrawal.
  var isBackground: Bool {
    delivery.isWithdrawal || delivery.title.isEmpty && delivery.body.isEmpty
  }

  /// Returns the headers that control delivery, without those that name the device or the sender.
  func headers(now: Instant) -> [(name: String, value: String)] {
    [
      ("apns-push-type", isBackground ? "background" : "alert"),
      ("apns-priority", isBackground || delivery.isUnobtrusive ? "5" : "10"),
      ("apns-collapse-id", PushIdentity.collapse(delivery)),
      ("apns-expiration", expiration(now: now)),
    ]
  }

  /// The last second at which the notification is worth showing, in Unix time; 0 (now or never) if
  /// that second is past.
  private func expiration(now: Instant) -> String {
    delivery.expiry <= now ? "0" : "\(delivery.expiry.seconds)"
  }

  /// Writes the members of `aps` other than the alert.
  ///
  /// - Parameter tone: the app's sound for recipients who have chosen a custom tone.
  func writeAspects(tone: String?, to writer: inout JSONWriter) {
    guard !isBackground else { return writer.member("content-available", 1) }
    if delivery.isNoisy {
      writer.member("sound", delivery.hints.contains(.customTone) ? tone ?? "default" : "default")
    }
    if delivery.isFetched {
      writer.member("mutable-content", 1)
    } else {
      writer.member("category", buttonsIdentifier)
      writer.member("thread-id", delivery.category)
    }
    writer.member("interruption-level", interruptionLevel)
  }

  /// The identifier by which the app declares the notification's buttons: the category, and the
  /// names of the actions, such as `DOSE.taken.later`.
  private var buttonsIdentifier: String {
    ([delivery.category] + delivery.shownMessage.actions.map(\.name)).joined(separator: ".")
  }

  /// How strongly Apple may interrupt the recipient. An app without the `time-sensitive`
  /// entitlement shows such a notification as `active`. Critical alerts are never sent, because few
  /// apps have the entitlement for them.
  private var interruptionLevel: String {
    if delivery.isUnobtrusive { return "passive" }
    return delivery.urgency >= .high ? "time-sensitive" : "active"
  }
}
