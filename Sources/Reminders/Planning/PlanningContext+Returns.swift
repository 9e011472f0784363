package import CivilTime

/// Decides what a device that returns after an absence has missed (rule V17).
extension PlanningContext {
  /// Whether push can reach the recipient and is switched on.
  package var mayPush: Bool {
    settings.isOn(.master) && settings.isOn(Channel.push.setting)
      && !unreachable.contains(ChannelSet(.push))
  }

  /// Returns the digest of the notifications that the recipient has missed since an instant. The
  /// result is nil if there are fewer than two, or none was sent after a day without a device.
  ///
  /// - Parameters:
  ///   - past: the push notifications since that instant, the latest first.
  ///   - event: the event that ended the absence.
  package func missed(
    _ past: [PastPush], since last: Instant, by event: Event, now: Instant
  ) -> MissedDigest? {
    // Facts remember only the latest receipt, which may belong to this return.
    let receipts = past.flatMap(\.receipts).filter { $0 < event.time - Facts.returnSpan }
    let latest = receipts.reduce(last, max)
    let missed = past.filter { !$0.isRead && $0.delivery.at > latest }.map(\.delivery)
      .filter { isStillMeant($0, at: now) && isAllowed($0, at: now) }
      .prefix(Self.missedMax)
    guard missed.count > 1, missed.contains(where: { $0.at - latest > Facts.absenceMin }),
      let message = digest(of: missed.map(\.message))
    else { return nil }
    return MissedDigest(message: message, expiry: missed.map(\.expiry).reduce(now, max))
  }

  /// The maximum number of members of a digest of missed notifications.
  private static let missedMax = 20

  /// Returns whether a missed delivery still means something: it has not expired, no event has
  /// ended it, and the recipient has not switched it off. Returns false for a digest, because
  /// events may have ended some of its members.
  private func isStillMeant(_ delivery: Delivery, at now: Instant) -> Bool {
    delivery.reminder != Digest.identifier && now <= delivery.expiry
      && !isWithdrawn(delivery) && !isMuted(delivery)
      && permits(delivery.channel, of: catalog.category(of: delivery), for: delivery)
  }
}
