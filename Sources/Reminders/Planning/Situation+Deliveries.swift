package import CivilTime

/// What is asked again of a delivery on its way.
extension Situation {
  /// What the gates say before another attempt (rule V7).
  package func decision(retrying delivery: Delivery, now: Instant) -> Decision {
    if let input = gateInput(retrying: delivery) { return Gates.decide(input, from: now) }
    var trace = GateTrace()
    guard now > delivery.expiry else {
      return Decision(outcome: .delivered, at: now, trace: trace)
    }
    trace.note(.expiry, .drops)
    return Decision(outcome: .dropped, at: now, trace: trace)
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

  /// The channel that takes over where a delivery has failed (rule D2): the first of its category's
  /// list that the person's matrix permits and that can reach them.
  ///
  /// - Parameter gone: the channels on which it has gone out already.
  package func fallback(of delivery: Delivery, but gone: ChannelSet) -> Channel? {
    // Who does not see it in the app now sees it there later.
    guard delivery.channel != .inapp else { return nil }
    let category = catalog.categories.first { $0.name == delivery.category }
    return category?.channels.first { entry in
      let channel = ChannelSet(entry.channel)
      return entry.channel != .inapp && !gone.contains(channel) && !unreachable.contains(channel)
        && permits(entry.channel, of: category)
    }?.channel
  }

  /// Whether the matrix lets a category go out on a channel, first or in the place of another.
  func permits(_ channel: Channel, of category: Category?) -> Bool {
    guard let category, let entry = category.channels.first(where: { $0.channel == channel }),
      Self.isAllowed(channel, category, settings)
    else { return false }
    return category.isAlwaysOn || settings.isOn(channel.setting) && settings.isOn(entry.setting)
  }
}

extension Addressee {
  package convenience init(_ facts: Facts, zone: Zone) {
    self.init(
      zone: zone.name, locale: facts.profile(.locale), displayName: facts.profile(.name),
      email: facts.profile(.email), phone: facts.profile(.phone), devices: facts.devices)
  }
}
