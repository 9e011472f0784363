import CivilTime
internal import JSON
package import Reminders

/// How Apple is to treat a notification.
package struct APNsManner: Sendable {
  private let delivery: Delivery

  package init(_ delivery: Delivery) {
    self.delivery = delivery
  }

  /// Whether there is nothing for people to see.
  var isBackground: Bool { delivery.title.isEmpty && delivery.body.isEmpty }

  /// Those of the headers that say how, not to whom or by whom.
  func headers(now: Instant) -> [(name: String, value: String)] {
    [
      ("apns-push-type", isBackground ? "background" : "alert"),
      ("apns-priority", isBackground || delivery.isUnobtrusive ? "5" : "10"),
      ("apns-collapse-id", PushIdentity.collapse(delivery)),
      ("apns-expiration", expiration(now: now)),
    ]
  }

  /// The last second at which it is worth showing; 0, now or never, if that is over.
  private func expiration(now: Instant) -> String {
    delivery.expiry <= now ? "0" : "\(delivery.expiry.seconds)"
  }

  /// Writes the members of `aps` beside the alert.
  ///
  /// - Parameter tone: the sound, in the app, for people who chose one of their own.
  func writeAspects(tone: String?, to writer: inout JSONWriter) {
    guard !isBackground else { return writer.member("content-available", 1) }
    if delivery.isNoisy {
      writer.member("sound", delivery.hints.contains(.customTone) ? tone ?? "default" : "default")
    }
    writer.member("category", delivery.category)
    writer.member("thread-id", delivery.category)
    writer.member("interruption-level", interruptionLevel)
  }

  /// An app that is not entitled to `time-sensitive` shows it as `active`. What Apple calls
  /// critical needs a leave that few apps have, so nothing is.
  private var interruptionLevel: String {
    if delivery.isUnobtrusive { return "passive" }
    return delivery.urgency >= .high ? "time-sensitive" : "active"
  }
}
