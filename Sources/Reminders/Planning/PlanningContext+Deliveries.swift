package import CivilTime

/// Checks a delivery before another attempt, and finds its fallbacks.
extension PlanningContext {
  /// Evaluates the gates before another attempt (rule V7). Obsolete deliveries, and messages that
  /// an erasure has emptied (rule E12), are dropped without this evaluation.
  ///
  /// - Parameter isReplaced: whether a snooze has planned the delivery's occurrence again (rule
  ///   N8), or all members of its digest have been withdrawn or replaced.
  package func decision(
    retrying delivery: Delivery, isReplaced: Bool, now: Instant
  ) -> Decision {
    var trace = GateTrace()
    if isReplaced || isWithdrawn(delivery) || delivery.message.isEmptied {
      trace.note(.withdrawn, .drops)
      return Decision(outcome: .dropped, at: now, trace: trace)
    }
    if let input = gateInput(retrying: delivery) { return Gates.decide(input, from: now) }
    guard now > delivery.expiry else {
      return Decision(outcome: .delivered, at: now, trace: trace)
    }
    trace.note(.expiry, .drops)
    return Decision(outcome: .dropped, at: now, trace: trace)
  }

  /// Returns whether the recipient has muted each entity that a delivery is about, or switched off
  /// all channels of these entities. A gate drops such a delivery.
  package func isMuted(_ delivery: Delivery) -> Bool {
    guard let reminder = catalog.reminder(Symbol(delivery.reminder)) else { return false }
    return entityChannels(of: reminder, key: delivery.key)?.isEmpty ?? false
  }

  /// Returns whether an event has made a delivery obsolete since the gates passed it. Examples are
  /// a cancelled booking, a logged meal, or a request that its app has cancelled. The same events
  /// end an occurrence that a gate holds. Muting an entity ends none of its deliveries; see
  /// `isMuted`.
  package func isWithdrawn(_ delivery: Delivery) -> Bool {
    contextOfSentDeliveries.isObsolete(delivery)
  }

  /// Returns whether the reminder no longer plans a delivery's occurrence, because of an event or a
  /// muted entity.
  func isObsolete(_ delivery: Delivery) -> Bool {
    if delivery.reminder == Reminder.requested {
      return facts.cancelledRequests.contains { $0.key == delivery.key }
    }
    guard let reminder = catalog.reminder(Symbol(delivery.reminder)) else { return false }
    switch reminder.trigger {
    case .calendar(let trigger):
      // A snooze may have moved the planned instant, but the conditions may be met only at the
      // original instant.
      let unsnoozed = unsnoozedInstant(of: reminder, key: delivery.key) ?? delivery.planned
      return [delivery.planned, unsnoozed].allSatisfy {
        !isStillAllowed(delivery.key, planned: $0, of: reminder, trigger)
      }
    case .milestone(let trigger):
      // The key of a milestone changes if the start of its streak is reported late. So the test is
      // whether another streak has started, and not whether the key exists.
      return facts.latest(of: trigger.since).map { $0.time > delivery.planned } ?? false
    case .items(let trigger) where reminder.recipientRole == nil && !remembersEach(trigger.event):
      return false
    case .after, .items, .idle, .plan:
      return occurrence(of: reminder, key: delivery.key) == nil
    case .request: return false
    }
  }

  /// Returns whether the facts remember each entity of a type until its last instant. Of events
  /// without an identifier, only the latest few are remembered, so a missing event proves nothing.
  private func remembersEach(_ type: Symbol) -> Bool {
    facts.items(of: type).contains { facts.items[$0].identifier != nil }
  }

  /// Returns the reason why a channel cannot reach the recipient; nil if it can (rule D2).
  package func obstacle(on channel: Channel) -> String? {
    guard unreachable.contains(ChannelSet(channel)) else { return nil }
    if planner.unroutedChannels.contains(ChannelSet(channel)) {
      return "no sink carries \(channel.name)"
    }
    if facts.permission(of: channel) == .denied {
      return "the recipient has denied \(channel.name)"
    }
    if let suppression = facts.suppression(of: channel) {
      return "the recipient's address for \(channel.name) \(suppression.reason.name) at "
        + "\(suppression.since); report it again to use it"
    }
    switch planner.requirements[channel] {
    case .device: return "the recipient has no device with a token"
    case .email: return "the recipient has no e-mail address"
    case .phone: return "the recipient has no phone number"
    case nil: return "the recipient cannot be reached"
    }
  }

  /// Returns the fallback channels for a failed delivery, in order of preference (rule D7). A
  /// fallback is a channel of the delivery's category that the recipient's switches permit and that
  /// can reach the recipient. Those that the operator's hours allow at this instant are first.
  package func fallbacks(of delivery: Delivery, at now: Instant) -> [Channel] {
    // An in-app notification needs no fallback: the recipient sees it later.
    guard delivery.channel != .inapp, let category = catalog.category(of: delivery) else {
      return []
    }
    let own = ownChannels(of: delivery)
    let usable = category.channels.filter { entry in
      entry.channel != .inapp && !unreachable.contains(ChannelSet(entry.channel))
        && mayReplace(entry, of: category, own: own)
    }
    let channels = usable.map(\.channel).filter { mayCarry(delivery, on: $0) }
    return openFirst(channels, for: delivery, at: now)
  }

  /// Returns the own channels of all entities of a delivery; nil if one of the entities has none.
  private func ownChannels(of delivery: Delivery) -> ChannelSet? {
    catalog.reminder(Symbol(delivery.reminder)).flatMap {
      ownChannels(of: $0, key: delivery.key)
    }
  }

  /// Returns whether each member of a digest may use a fallback channel. A digest does not record
  /// the categories of requested notifications. So with such a member, the channel may be used only
  /// if the recipient has switched it off for no category.
  ///
  /// An entity excludes a channel if the recipient has chosen other channels for the entity. A
  /// digest of occurrences that gates held has no member about such an entity. So only exclusions
  /// since the digest's planned instant count. These exclusions count for every entity of the
  /// member's group, because a digest does not record entities. A digest of missed notifications
  /// (rule V17) may be about any entity, so all exclusions count. Such a digest is recognized by
  /// its planned instant, which equals the instant of its decision.
  private func mayCarry(_ delivery: Delivery, on channel: Channel) -> Bool {
    let decision =
      delivery.planned < delivery.at ? delivery.planned : Instant(milliseconds: .min)
    return delivery.message.members.allSatisfy { name in
      guard name == Reminder.requested else {
        guard let reminder = catalog.reminder(Symbol(name)) else { return true }
        let category = catalog.categories[reminder.category]
        let entry = category.channels.first { $0.channel == channel }
        return entry.map { mayReplace($0, of: category) } ?? false
          && !hasExcluded(channel, of: reminder, since: decision)
      }
      return !catalog.categories.contains { isSwitchedOff(channel, of: $0) }
    }
  }

  /// Returns whether the recipient has switched off a channel of a category.
  private func isSwitchedOff(_ channel: Channel, of category: Category) -> Bool {
    let entry = category.channels.first { $0.channel == channel }
    guard !category.isAlwaysOn, let entry else { return false }
    let path = Symbol(catalog.settings.definitions[entry.setting].path)
    return !settings.isOn(entry.setting) && facts.settings.contains { $0.path == path }
  }

  /// Returns whether the recipient's switches permit a channel for a category, directly or as a
  /// fallback.
  ///
  /// - Parameter delivery: the delivery, whose entity may have channels of its own.
  func permits(_ channel: Channel, of category: Category?, for delivery: Delivery) -> Bool {
    guard let category, let entry = category.channels.first(where: { $0.channel == channel }),
      Self.isAllowed(channel, category, settings)
    else { return false }
    if let own = ownChannels(of: delivery) { return mayReplace(entry, of: category, own: own) }
    if category.isAlwaysOn || settings.isOn(channel.setting) && settings.isOn(entry.setting) {
      return true
    }
    return mayReplace(entry, of: category)
  }
}

extension Addressee {
  package convenience init(_ facts: Facts, zone: Zone) {
    self.init(
      zone: zone.name, locale: facts.profile(.locale), displayName: facts.profile(.name),
      email: facts.profile(.email), phone: facts.profile(.phone), devices: facts.devices)
  }
}
