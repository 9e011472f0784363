package import CivilTime

/// Decides what a device that returns after an absence has missed (rule V17).
extension PlanningContext {
  /// Whether push can reach the recipient and is switched on.
  package var mayPush: Bool {
    settings.isOn(.master) && settings.isOn(Channel.push.setting)
      && !unreachable.contains(ChannelSet(.push))
  }

  /// Returns whether a missed delivery still means something: it has not expired, no event has
  /// ended it, and the recipient has not switched it off.
  package func isStillMeant(_ delivery: Delivery, at now: Instant) -> Bool {
    now <= delivery.expiry && !isWithdrawn(delivery)
      && permits(delivery.channel, of: catalog.category(of: delivery), for: delivery)
  }
}
