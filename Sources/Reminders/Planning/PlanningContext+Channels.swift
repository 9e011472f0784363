import CivilTime

extension PlanningContext {
  /// The channels on which a reminder is wanted: master AND channel AND category (rule P2), and
  /// its group's switch. Empty is switched off, and then nothing is planned (rule I5).
  ///
  /// What is locked or mandatory no switch of the matrix turns off (rules P3, V3).
  package func channels(of reminder: Reminder) -> ChannelSet {
    // A recipient without facts, or without any since an erasure, gets no reminders.
    guard facts.created != nil, isRunning(reminder) else { return [] }
    guard settings.isOn(.master) || catalog.categories[reminder.category].isAlwaysOn else {
      return []
    }
    return categoryChannels[reminder.category].intersection(reminder.channels)
  }

  /// Whether occurrences of a reminder are planned. What a switch turns off is not; of what apps
  /// request each is asked about by itself.
  package func isPlanned(_ reminder: Reminder) -> Bool {
    if case .request = reminder.trigger { return facts.created != nil }
    return !channels(of: reminder).isEmpty
  }

  /// The channels for one occurrence: who requests it may name them.
  package func channels(of reminder: Reminder, key: Int64) -> ChannelSet {
    guard case .request = reminder.trigger, let request = facts.request(key) else {
      return channels(of: reminder)
    }
    return request.narrowed(channels(of: reminder))
  }

  /// The channels on which an occurrence goes out: those wanted that can reach the person, or else
  /// the first that its category falls back to and that can (rule D2). Empty is unreachable.
  package func reach(of reminder: Reminder, key: Int64) -> ChannelSet {
    let wanted = channels(of: reminder, key: key)
    let reachable = wanted.subtracting(unreachable)
    // What waits in the app has reached nobody.
    let isMissed = reachable.isSubset(of: ChannelSet(.inapp))
    guard isMissed, !wanted.isSubset(of: ChannelSet(.inapp)) else { return reachable }
    let category = catalog.categories[reminder.category]
    let fallback = category.channels.first { entry in
      entry.standsIn && !unreachable.contains(ChannelSet(entry.channel))
        && standsIn(entry, of: category)
    }
    return reachable.union(fallback.map { ChannelSet($0.channel) } ?? [])
  }

  /// Whether a channel may stand in for one that cannot reach the person: who has switched it off
  /// is not reached by it, but that it is off at first says nothing.
  func standsIn(_ entry: CategoryChannel, of category: Category) -> Bool {
    guard Self.isAllowed(entry.channel, category, settings) else { return false }
    guard !category.isAlwaysOn else { return true }
    guard settings.isOn(entry.channel.setting) else { return false }
    if settings.isOn(entry.setting) { return true }
    let path = Symbol(catalog.settings.definitions[entry.setting].path)
    return entry.standsIn && !facts.settings.contains { $0.path == path }
  }

  /// The ways out that an occurrence takes.
  package func channelGroups(of reminder: Reminder, key: Int64) -> [ChannelGroup] {
    let reach = reach(of: reminder, key: key)
    guard !reach.isEmpty else { return [.interrupting] }
    return ways(of: reminder).filter { !$0.channels.isDisjoint(with: reach) }
  }

  /// How many ways out an occurrence takes.
  func wayCount(of reminder: Reminder, key: Int64) -> Int {
    let reach = reach(of: reminder, key: key)
    guard !reach.isEmpty else { return 1 }
    return ways(of: reminder).count { !$0.channels.isDisjoint(with: reach) }
  }

  private func ways(of reminder: Reminder) -> [ChannelGroup] {
    isCollected(reminder) ? ChannelGroup.apart : ChannelGroup.together
  }

  /// Whether the reminder is switched on and its series has not been ended since.
  private func isRunning(_ reminder: Reminder) -> Bool {
    if case .request = reminder.trigger { return true }
    return isSwitchedOn(reminder) && !isStopped(reminder)
  }

  static func categoryChannels(of catalog: Catalog, _ settings: Settings) -> [ChannelSet] {
    catalog.categories.map { channels(of: $0, settings) }
  }

  private static func channels(of category: Category, _ settings: Settings) -> ChannelSet {
    var channels: ChannelSet = []
    for entry in category.channels
    where !entry.isFallback && isAllowed(entry.channel, category, settings) {
      let isOn = settings.isOn(entry.channel.setting) && settings.isOn(entry.setting)
      if isOn || category.isAlwaysOn { channels.insert(ChannelSet(entry.channel)) }
    }
    return channels
  }
}

extension PlanningContext {
  /// A person may want text messages for what is critical alone.
  static func isAllowed(
    _ channel: Channel, _ category: Category, _ settings: Settings
  ) -> Bool {
    channel != .sms || category.urgency >= .critical || !settings.isOn(.smsCriticalOnly)
  }
}

extension Planner {
  /// The channels that have nowhere to send to: no sink carries them, what their sinks need is not
  /// known, or the person has denied the permission (rule D2).
  func unreachable(_ facts: Facts) -> ChannelSet {
    var unreachable = unrouted
    if requirements.isEmpty, facts.settings.isEmpty { return unreachable }
    for channel in Channel.allCases {
      let isMissing =
        switch requirements[channel] {
        case nil: false
        case .device: !facts.devices.contains { $0.token != nil }
        case .email: facts.profile(.email) == nil
        case .phone: facts.profile(.phone) == nil
        }
      if isMissing || facts.permission(of: channel) == .denied {
        unreachable.insert(ChannelSet(channel))
      }
    }
    return unreachable
  }
}

/// E-mail of a person who reads it once a day or once a week: it waits for a collection, while the
/// other channels of the same occurrence go out at their time.
extension PlanningContext {
  /// Whether a reminder's e-mail waits. What matters more than usual does not.
  func isCollected(_ reminder: Reminder) -> Bool {
    guard settings[.emailFrequency] != 0 else { return false }
    return reminder.urgency ?? catalog.categories[reminder.category].urgency < .high
  }

  /// When e-mail planned at an instant is collected: at the person's time on the same local date or
  /// the next, or on their day of the week; nil for whoever reads it at once.
  func collection(after planned: Instant) -> Instant? {
    let frequency = settings[.emailFrequency]
    guard frequency != 0 else { return nil }
    let time = settings.time(BuiltInSetting.emailTime.rawValue)
    let day = 1 << (settings[.emailDay] & 7)
    let today = zone.date(at: planned)
    // A weekday comes again within a week, and on today's the time may be over.
    for date in (0...8).map({ today + $0 })
    where (frequency == 1 || date.weekday.bit == day) && zone.hasDate(date) {
      let instant = zone.instant(of: date, at: time)
      if instant >= planned { return instant }
    }
    return nil
  }

  /// The last instant at which what is under way may still go out. Who reads e-mail once a week
  /// chose to read of things late: what is collected expires as long after its collection as others
  /// do after their instant.
  func expiry(of entry: Progress.UnderWay, _ reminder: Reminder) -> Instant {
    let collection = entry.channelGroup == .collected ? collection(after: entry.planned) : nil
    let expiry = (collection ?? entry.planned) + expires(reminder, key: entry.key) + entry.stood
    return entry.deadline.map { min(expiry, $0 - .milliseconds(1)) } ?? expiry
  }
}
