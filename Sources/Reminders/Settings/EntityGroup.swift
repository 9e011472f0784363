/// The settings of a group that a recipient may set for single entities, such as one medicine
/// (rule P10).
package struct EntityGroup: Sendable {
  /// The path of the object with the entities, such as `reminders.trials.items`.
  package let path: String
  /// The settings of one entity, in the order of the document.
  package let settings: [EntityDefinition]

  /// The path of the group's object.
  package var groupPath: String { String(path.dropLast(Self.member.count + 1)) }

  /// The member of a group's object that has the entities.
  static let member = "items"
  /// The maximum number of bytes of an identifier. The identifiers of copies are the longest.
  package static let identifierMax = 257
}

extension Catalog {
  /// Adds settings for single entities to each group whose reminders are about entities.
  func addEntityGroups() {
    let followers = reminders.filter { hasEntities($0.symbol) }
    for (groupSwitch, reminders) in Dictionary(grouping: followers, by: \.groupSwitch) {
      let path = settings.definitions[groupSwitch].path
      let suffix = ".enabled"
      guard path.hasPrefix("reminders."), path.hasSuffix(suffix) else { continue }
      let group = "\(path.dropLast(suffix.count))"
      let items = "\(group).\(EntityGroup.member)"
      var definitions = [EntityDefinition("enabled", .toggle, .enabled, in: items)]
      definitions += times(of: reminders, in: group, items)
      definitions += channels(of: reminders, items)
      settings.add(EntityGroup(path: items, settings: definitions), of: groupSwitch)
    }
  }

  /// Returns the settings with the times of day of reminders, except times that are settings of
  /// another group.
  private func times(
    of reminders: [Reminder], in group: String, _ items: String
  ) -> [EntityDefinition] {
    Set(reminders.compactMap(\.trigger.timeSetting)).sorted().compactMap { index in
      let definition = settings.definitions[index]
      let name = definition.path.dropFirst(group.count + 1)
      guard definition.path.hasPrefix(group + "."), name != "channels" else { return nil }
      return EntityDefinition("\(name)", definition.kind, .parameter(index), in: items)
    }
  }

  /// Returns the setting with the channels of reminders; an empty array if they are always on.
  private func channels(of reminders: [Reminder], _ items: String) -> [EntityDefinition] {
    var all: ChannelSet = []
    for reminder in reminders where !categories[reminder.category].isAlwaysOn {
      all.formUnion(categories[reminder.category].declaredChannels.intersection(reminder.channels))
    }
    let channels = Channel.allCases.filter { all.contains(ChannelSet($0)) }
    guard !channels.isEmpty else { return [] }
    return [
      EntityDefinition(
        "channels", .selection(channels.map(\.name)), .channels(channels), in: items)
    ]
  }
}

extension Category {
  /// The channels that the category declares, except those that only replace others.
  var declaredChannels: ChannelSet {
    channels.reduce(into: []) { set, entry in
      if !entry.isOnlyFallback { set.insert(ChannelSet(entry.channel)) }
    }
  }
}

extension Trigger {
  /// The index of the setting with the time of day of an entity's occurrences; nil if there is no
  /// such setting.
  fileprivate var timeSetting: Int? {
    switch self {
    case .after(let trigger): trigger.delay.timeSetting
    case .items(let trigger):
      switch trigger.timing {
      case .after(let delay): delay.timeSetting
      case .datesBefore(_, _, .setting(let index)): index
      case .datesBefore, .hoursBefore, .spansBefore: nil
      }
    case .plan(let trigger):
      switch trigger.defaultTimes {
      case .one(.setting(let index)), .setting(let index): index
      case .one, .fixed, .spread, nil: nil
      }
    case .calendar, .milestone, .idle, .request: nil
    }
  }
}

extension Delay {
  fileprivate var timeSetting: Int? {
    switch self {
    case .nextDate(.setting(let index)), .nextTime(.setting(let index)),
      .dates(_, .setting(let index)):
      index
    case .elapsed, .nextDate, .nextTime, .dates: nil
    }
  }
}
