package import CivilTime

/// What is asked again of a delivery on its way.
extension PlanningContext {
  /// What the gates say before another attempt (rule V7).
  package func decision(retrying delivery: Delivery, now: Instant) -> Decision {
    var trace = GateTrace()
    if isWithdrawn(delivery) {
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

  /// Whether what a delivery speaks of was taken back, done or superseded since it was decided: a
  /// booking was cancelled, a meal logged, a notification taken back by its app. It is the same as
  /// what ends the hold of a gate.
  private func isWithdrawn(_ delivery: Delivery) -> Bool {
    if delivery.reminder == Reminder.requested {
      return facts.withdrawals.contains { $0.key == delivery.key }
    }
    guard let reminder = catalog.reminder(Symbol(delivery.reminder)) else { return false }
    switch reminder.trigger {
    case .calendar(let trigger):
      return !isWanted(delivery.key, planned: delivery.planned, of: reminder, trigger)
    case .milestone(let trigger):
      // The key does not say it: it changes when the start of the streak is told of late.
      return facts.latest(of: trigger.since).map { $0.time > delivery.planned } ?? false
    case .items(let trigger) where !remembersEach(trigger.event): return false
    case .after, .items, .idle:
      return occurrence(of: reminder, key: delivery.key) == nil
    case .request: return false
    }
  }

  /// Whether things of a type are known until they are past. Of those without an identifier the
  /// latest few are, and that the others are gone says nothing.
  private func remembersEach(_ type: Symbol) -> Bool {
    facts.items(of: type).contains { facts.items[$0].identifier != nil }
  }

  /// Why a channel cannot reach the person; nil if it can (rule D2).
  package func obstacle(on channel: Channel) -> String? {
    guard unreachable.contains(ChannelSet(channel)) else { return nil }
    if planner.unrouted.contains(ChannelSet(channel)) { return "no sink carries \(channel.name)" }
    if facts.permission(of: channel) == .denied { return "the person has denied \(channel.name)" }
    switch planner.requirements[channel] {
    case .device: return "the person has no device with a token"
    case .email: return "the person has no e-mail address"
    case .phone: return "the person has no phone number"
    case nil: return "the person cannot be reached"
    }
  }

  /// The channels that may take over where a delivery has failed (rule D2), the first choice first:
  /// those of its category's list that the person's matrix permits and that can reach them.
  package func fallbacks(of delivery: Delivery) -> [Channel] {
    // Who does not see it in the app now sees it there later.
    guard delivery.channel != .inapp,
      let category = catalog.categories.first(where: { $0.name == delivery.category })
    else { return [] }
    let able = category.channels.filter { entry in
      entry.channel != .inapp && !unreachable.contains(ChannelSet(entry.channel))
        && standsIn(entry, of: category)
    }
    return able.map(\.channel).filter { mayCarry(delivery.message.members, on: $0) }
  }

  /// Whether each member of a digest may fall back to a channel, too. A digest does not keep the
  /// categories of what apps request: none may have the channel switched off.
  private func mayCarry(_ members: [String], on channel: Channel) -> Bool {
    members.allSatisfy { name in
      guard name == Reminder.requested else {
        guard let reminder = catalog.reminder(Symbol(name)) else { return true }
        let category = catalog.categories[reminder.category]
        let entry = category.channels.first { $0.channel == channel }
        return entry.map { standsIn($0, of: category) } ?? false
      }
      return !catalog.categories.contains { isSwitchedOff(channel, of: $0) }
    }
  }

  /// Whether the person has switched off a channel of a category.
  private func isSwitchedOff(_ channel: Channel, of category: Category) -> Bool {
    let entry = category.channels.first { $0.channel == channel }
    guard !category.isAlwaysOn, let entry else { return false }
    let path = Symbol(catalog.settings.definitions[entry.setting].path)
    return !settings.isOn(entry.setting) && facts.settings.contains { $0.path == path }
  }

  /// Whether the matrix lets a category go out on a channel, first or in the place of another.
  func permits(_ channel: Channel, of category: Category?) -> Bool {
    guard let category, let entry = category.channels.first(where: { $0.channel == channel }),
      Self.isAllowed(channel, category, settings)
    else { return false }
    if category.isAlwaysOn || settings.isOn(channel.setting) && settings.isOn(entry.setting) {
      return true
    }
    return standsIn(entry, of: category)
  }
}

extension Addressee {
  package convenience init(_ facts: Facts, zone: Zone) {
    self.init(
      zone: zone.name, locale: facts.profile(.locale), displayName: facts.profile(.name),
      email: facts.profile(.email), phone: facts.profile(.phone), devices: facts.devices)
  }
}
