import CivilTime
import Synchronization

/// A recipient's settings for one entity of a reminder (rule P10).
struct EntityChoices {
  var isMuted = false
  /// The entity's own channels; nil if the switches of the category apply.
  var channels: ChannelSet?
  /// The values that replace values of the group's settings, each with the index of its setting.
  var values: [(setting: Int, value: Int64)] = []
}

/// Applies the settings of single entities. Recipients without such settings cost one comparison.
extension PlanningContext {
  /// Returns the settings of an entity; nil if only its group's settings apply.
  func choices(_ reminder: Reminder, about identifier: String?) -> EntityChoices? {
    guard !facts.entitySettings.isEmpty, let identifier,
      let group = catalog.settings.entityGroup(of: reminder.groupSwitch)
    else { return nil }
    var choices: EntityChoices?
    for setting in facts.entitySettings(about: identifier) {
      guard let value = setting.value,
        let definition = group.settings.first(where: { $0.symbol == setting.path })
      else { continue }
      var changed = choices ?? EntityChoices()
      switch definition.role {
      case .enabled: changed.isMuted = value == 0
      case .channels: changed.channels = definition.channelSet(value)
      case .parameter(let index): changed.values.append((index, value))
      }
      choices = changed
    }
    return choices
  }

  /// Returns the settings that apply to an entity of a reminder.
  func settings(of reminder: Reminder, about identifier: String?) -> Settings {
    guard let choices = choices(reminder, about: identifier) else { return settings }
    var settings = settings
    for (index, value) in choices.values { settings[index] = value }
    return settings
  }

  /// The context for deliveries that were sent. In this context no setting silences an entity,
  /// because muting an entity ends no delivery.
  package var contextOfSentDeliveries: PlanningContext {
    guard !facts.entitySettings.isEmpty, !ignoresMuting else { return self }
    return sentContext.withLock { known in
      let context =
        known
        ?? PlanningContext(
          facts: facts, planner: planner, zone: zone, zones: zones, exempting: exemption,
          ignoringMuting: true)
      known = context
      return context
    }
  }

  /// Returns whether a reminder is silent about an entity, because the entity is muted or has no
  /// channel.
  func sendsNothing(_ reminder: Reminder, about identifier: String?) -> Bool {
    guard !facts.entitySettings.isEmpty, !ignoresMuting,
      catalog.settings.entityGroup(of: reminder.groupSwitch) != nil
    else { return false }
    let choices = choices(reminder, about: identifier)
    if choices?.isMuted == true { return true }
    guard reminder.relay != nil else { return channels(of: reminder, choices).isEmpty }
    // A message to other people has no channels of the recipient (rule G18). It is silent if the
    // reminder that it follows is.
    return reminder.repeated.flatMap(catalog.reminder).map { sendsNothing($0, about: identifier) }
      ?? false
  }

  /// Returns whether any entity of a reminder may have channels of its own. Such channels may be on
  /// even if all channels of the category are off.
  func hasChannelChoices(_ reminder: Reminder) -> Bool {
    guard !facts.entitySettings.isEmpty, catalog.hasEntities(reminder.symbol),
      let group = catalog.settings.entityGroup(of: reminder.groupSwitch)
    else { return false }
    let definition = group.settings.first { if case .channels = $0.role { true } else { false } }
    return facts.entitySettings.contains { $0.path == definition?.symbol && $0.value != nil }
  }

  /// Returns the channels of a reminder's entity that are switched on. An entity's own channels
  /// replace the switches of the category, unless all of these are off.
  func channels(of reminder: Reminder, _ choices: EntityChoices?) -> ChannelSet {
    guard let own = ownChannels(of: reminder, choices) else { return channels(of: reminder) }
    let category = catalog.categories[reminder.category]
    let isOn = category.channels.contains { !$0.isOnlyFallback && settings.isOn($0.setting) }
    guard mayBeSent(reminder), isOn else { return [] }
    return Channel.allCases.reduce(into: []) { channels, channel in
      if own.contains(ChannelSet(channel)), settings.isOn(channel.setting),
        Self.isAllowed(channel, category, settings)
      {
        channels.insert(ChannelSet(channel))
      }
    }
  }

  /// Returns the entity's own channels that a reminder can use. The result is empty if the
  /// recipient has chosen no channel. The result is nil in these cases:
  ///
  /// - The entity has no channels of its own.
  /// - The category is always on.
  /// - The catalog offers none of the chosen channels.
  private func ownChannels(of reminder: Reminder, _ choices: EntityChoices?) -> ChannelSet? {
    let category = catalog.categories[reminder.category]
    guard let channels = choices?.channels, !category.isAlwaysOn else { return nil }
    let own = channels.intersection(category.declaredChannels).intersection(reminder.channels)
    return own.isEmpty && !channels.isEmpty ? nil : own
  }

  /// Returns the settings of the entities that an occurrence is about, without muted entities; nil
  /// if none has settings of its own.
  private func choices(of reminder: Reminder, key: Int64) -> [EntityChoices?]? {
    guard !facts.entitySettings.isEmpty,
      catalog.settings.entityGroup(of: reminder.groupSwitch) != nil,
      let entities = runningEntities(of: reminder, key: key)
    else { return nil }
    let all = entities.map { choices(reminder, about: $0.identifier) }
    guard all.contains(where: { $0 != nil }) else { return nil }
    return all.filter { $0?.isMuted != true }
  }

  /// Returns the channels of an occurrence's entities; nil if none of them has settings of its own.
  func entityChannels(of reminder: Reminder, key: Int64) -> ChannelSet? {
    choices(of: reminder, key: key)?.reduce(into: ChannelSet()) { channels, choices in
      channels.formUnion(self.channels(of: reminder, choices))
    }
  }

  /// Returns the own channels of all entities of an occurrence together; nil if one of the entities
  /// has none. No other channel replaces one of these.
  func ownChannels(of reminder: Reminder, key: Int64) -> ChannelSet? {
    guard let choices = choices(of: reminder, key: key), !choices.isEmpty else { return nil }
    var all: ChannelSet = []
    for entity in choices {
      guard let own = ownChannels(of: reminder, entity) else { return nil }
      all.formUnion(own)
    }
    return all
  }

  /// Returns whether any entity of an occurrence has channels of its own.
  func hasOwnChannels(_ reminder: Reminder, key: Int64) -> Bool {
    choices(of: reminder, key: key)?.contains { ownChannels(of: reminder, $0) != nil } ?? false
  }

  /// Returns whether the recipient has since an instant excluded a channel for any entity of a
  /// reminder's group.
  func hasExcluded(_ channel: Channel, of reminder: Reminder, since instant: Instant) -> Bool {
    guard !facts.entitySettings.isEmpty, !catalog.categories[reminder.category].isAlwaysOn,
      let group = catalog.settings.entityGroup(of: reminder.groupSwitch)
    else { return false }
    return facts.entitySettings.contains { setting in
      guard setting.stamp.time >= instant, let value = setting.value,
        let definition = group.settings.first(where: { $0.symbol == setting.path }),
        case .channels = definition.role
      else { return false }
      return !definition.channelSet(value).contains(ChannelSet(channel))
    }
  }

  /// Returns the changes after which a category sends no e-mail, also about single entities; empty
  /// if it sends none (rule H27).
  package func changesEndingEmail(of category: Category) -> [SettingChange] {
    guard let entry = category.channels.first(where: { $0.channel == .email }) else { return [] }
    let path = Symbol(catalog.settings.definitions[entry.setting].path)
    // A fallback that is off by default is used until the recipient switches it off.
    let isOff = !settings.isOn(entry.setting) && facts.settings.contains { $0.path == path }
    let changes = isOff ? [] : [SettingChange(path: path, value: 0)]
    let groups = Set(
      catalog.reminders.filter { self.catalog.categories[$0.category].name == category.name }
        .map(\.groupSwitch))
    return changes
      + groups.sorted().flatMap { catalog.settings.entityGroup(of: $0).map(emailRemovals) ?? [] }
  }

  /// Returns the changes that remove e-mail from the channels of a group's entities.
  private func emailRemovals(in group: EntityGroup) -> [SettingChange] {
    facts.entitySettings.compactMap { setting in
      guard let value = setting.value,
        let definition = group.settings.first(where: { $0.symbol == setting.path }),
        case .channels = definition.role
      else { return nil }
      let channels = ChannelSet(rawValue: UInt8(truncatingIfNeeded: value))
      guard channels.contains(ChannelSet(.email)) else { return nil }
      return definition.change(
        of: setting.identifier, to: Int64(channels.subtracting(ChannelSet(.email)).rawValue))
    }
  }

  /// Returns the settings of an occurrence's entities in words; nil if there are none.
  func entityWords(of reminder: Reminder, key: Int64) -> String? {
    guard !facts.entitySettings.isEmpty,
      let group = catalog.settings.entityGroup(of: reminder.groupSwitch),
      let entities = runningEntities(of: reminder, key: key)
    else { return nil }
    let settings = entities.flatMap { words(of: $0.identifier, in: group) }
    return settings.isEmpty ? nil : "set by the recipient: " + settings.joined(separator: ", ")
  }

  /// Returns the settings in a reminder's group that silence an entity, in words.
  func mutedWords(of reminder: Reminder) -> [String] {
    guard !facts.entitySettings.isEmpty,
      let group = catalog.settings.entityGroup(of: reminder.groupSwitch)
    else { return [] }
    return facts.entitySettings.compactMap { setting in
      guard let value = setting.value,
        let definition = group.settings.first(where: { $0.symbol == setting.path }),
        definition.silences(value)
      else { return nil }
      return "\(group.path).\(setting.identifier).\(definition.name) is "
        + "\(definition.value(of: value))"
    }
  }

  private func words(of identifier: String, in group: EntityGroup) -> [String] {
    let settings = facts.entitySettings(about: identifier)
    return group.settings.compactMap { definition in
      guard let value = settings.first(where: { $0.path == definition.symbol })?.value else {
        return nil
      }
      let path = "\(group.path).\(identifier).\(definition.name)"
      return "\(path) is \(definition.value(of: value))"
    }
  }
}
