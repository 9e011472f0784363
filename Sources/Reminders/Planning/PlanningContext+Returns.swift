package import CivilTime

/// Decides what a device that returns after an absence has missed (rule V17).
extension PlanningContext {
  /// Whether push can reach the recipient and is switched on.
  package var mayPush: Bool {
    settings.isOn(.master) && settings.isOn(Channel.push.setting)
      && !unreachable.contains(ChannelSet(.push))
  }

  /// Returns the digest of the notifications that the recipient has missed since an instant. The
  /// result is nil if there are fewer than two, or if none was sent more than a day after a device
  /// was last seen.
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
      let message = digest(of: missed.map { renewed($0, at: now) })
    else { return nil }
    return MissedDigest(message: message, expiry: missed.map(\.expiry).reduce(now, max))
  }

  /// The maximum number of members of a digest of missed notifications.
  private static let missedMax = 20

  /// Returns the message of a missed delivery with the distances in time from now (rule G8). A text
  /// that does not follow from the current facts stays as it was sent.
  private func renewed(_ delivery: Delivery, at now: Instant) -> Message {
    let (symbol, sent) = (Symbol(delivery.reminder), delivery.message)
    guard let reminder = catalog.reminder(symbol) else { return sent }
    let subject = subject(of: reminder, key: delivery.key)
    func message(_ template: UInt8, at instant: Instant) -> Message? {
      self.message(of: symbol, key: delivery.key, template: template, about: subject, at: instant)
    }
    let template = reminder.messages.indices.lazy.map { UInt8(clamping: $0) }.first { template in
      message(template, at: delivery.at).map { ($0.title, $0.body) == (sent.title, sent.body) }
        ?? false
    }
    return template.flatMap { message($0, at: now) } ?? sent
  }

  /// Returns whether a missed delivery still means something: it has not expired, no event has
  /// ended it, and the recipient has not switched it off. Returns false for a digest, because
  /// events may have ended some of its members.
  private func isStillMeant(_ delivery: Delivery, at now: Instant) -> Bool {
    delivery.reminder != Digest.identifier && now <= delivery.expiry
      && !isWithdrawn(delivery) && !isMuted(delivery)
      && permits(delivery.channel, of: catalog.category(of: delivery), for: delivery)
  }
}
