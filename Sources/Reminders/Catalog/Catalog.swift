/// What the loaded catalog files declare, ready to plan from. Immutable.
package struct Catalog: Sendable {
  package var names: [String] = []
  /// The texts that it was read from, in the order of their names.
  package internal(set) var sources: [CatalogSource] = []
  package private(set) var categories: [Category] = []
  package private(set) var reminders: [Reminder] = []
  /// One for each of `reminders`.
  private(set) var outlines: [ReminderOutline] = []
  /// One for each category: what apps request to be said in it.
  package internal(set) var requested: [Reminder] = []
  package var presets: [Preset] = []
  /// What categories and settings are called.
  package var titles = Titles()
  /// What digests say.
  var digest = DigestWords()
  var defaultHints = DefaultHints()
  package var settings = SettingsSchema()
  package private(set) var events: [EventSchema] = EventSchema.builtIn
  /// The reminders that have had other names.
  package internal(set) var renaming = Renaming()
  /// Tells one set of catalog files from another.
  package var fingerprint = ""

  package init() {}

  package func reminder(_ symbol: Symbol) -> Reminder? {
    guard let index = reminderIndices[symbol] else {
      return requested.first { $0.symbol == symbol }
    }
    return reminders[index]
  }

  /// The name by which an event means a reminder: that of what apps request tells the category too.
  package func name(of reminder: Reminder) -> String {
    guard case .request = reminder.trigger else { return reminder.identifier }
    return "\(reminder.identifier) \(categories[reminder.category].name)"
  }

  package func event(_ type: String) -> EventSchema? {
    eventIndices[type].map { events[$0] }
  }

  /// How many events of a type without an identifier are remembered.
  func kept(_ type: Symbol) -> Int { keptCounts[type] ?? 0 }

  /// The categories that each loaded file declares, by its name.
  var categoryNames: [String: [String]] = [:]
  private var keptCounts: [Symbol: Int] = [:]
  private var eventIndices = EventSchema.builtIn.enumerated().reduce(into: [:]) {
    $0[$1.element.type] = $1.offset
  }
  private var eventSymbols = EventSchema.builtIn.enumerated().reduce(into: [:]) {
    $0[Symbol($1.element.type)] = $1.offset
  }
  private var categoryIndices: [String: Int] = [:]
  /// What the reminders do with the entities that events are about.
  var entityUse = EntityUse()
  /// For each reminder those of the same things that a setting has it stand in for (rule V11).
  var standIns: [Symbol: [Symbol]] = [:]
  /// By each reminder that is repeated, the reminders that repeat it, in order of declaration.
  package internal(set) var repetitions: [Symbol: [Symbol]] = [:]
  /// Filled when the catalog is read, also with former names; how a stored occurrence finds its
  /// declaration.
  var reminderIndices: [Symbol: Int] = [:]
}

/// Each name is found by an index of it, so that the cost of reading grows with the catalog's
/// length (rule H6).
extension Catalog {
  mutating func add(_ reminder: Reminder) {
    reminders.append(reminder)
    outlines.append(ReminderOutline(reminder))
  }

  mutating func add(_ category: Category) {
    categoryIndices[category.name] = categoryIndices[category.name] ?? categories.count
    categories.append(category)
  }

  func categoryIndex(_ name: String) -> Int? { categoryIndices[name] }

  mutating func add(_ schema: EventSchema) {
    let symbol = Symbol(schema.type)
    eventIndices[schema.type] = eventIndices[schema.type] ?? events.count
    eventSymbols[symbol] = eventSymbols[symbol] ?? events.count
    events.append(schema)
    keep(schema.kept, of: symbol)
  }

  func event(_ type: Symbol) -> EventSchema? { eventSymbols[type].map { events[$0] } }

  /// Has so many of the latest events of a declared type remembered each by itself.
  mutating func keep(_ count: Int, of type: Symbol) {
    guard let index = eventSymbols[type] else { return }
    events[index].kept = max(events[index].kept, count)
    keptCounts[type] = max(kept(type), count)
  }

  /// Has the events of a declared type that match remembered.
  mutating func remember(_ match: EventSelection, of type: Symbol) {
    guard let index = eventSymbols[type] else { return }
    events[index].matches.append(match)
    keptCounts[match.type] = max(kept(match.type), match.kept)
  }
}

/// What a notification is about.
package struct Category: Sendable {
  package var name: String
  package var title: String
  /// What a settings page says beneath the title.
  package var description: String?
  /// Always on: nothing switches it off (rule P3).
  package var isLocked = false
  package var urgency: Urgency
  /// Its channels, in the order in which it falls back to them.
  package var channels: [CategoryChannel]
  package var quietAction = QuietAction.hold
  package var capAction = CapAction.hold
  package var vacationAction = VacationAction.hold

  /// Whether neither master nor matrix turns it off.
  var isAlwaysOn: Bool { isLocked || urgency == .mandatory }

  /// Whether a person can do without it.
  package var canBeSwitchedOff: Bool { !isAlwaysOn }
}

/// A channel of a category.
package struct CategoryChannel: Sendable {
  package var channel: Channel
  /// The setting that switches it.
  package var setting: Int
  /// Whether it is used only when the others cannot reach the person.
  package var isFallback = false
  /// Whether it is used also where the person has not chosen it, when the others cannot reach them.
  package var standsIn = false
}

/// A way to reach a person. Raw values are stored: never renumber.
package enum Channel: UInt8, CaseIterable, Sendable {
  case push, email, sms, inapp

  package init?(name: String) {
    guard let channel = Self.allCases.first(where: { "\($0)" == name }) else { return nil }
    self = channel
  }

  /// Spelled out: it is asked for with each delivery, and the case printed would take a thousand
  /// instructions.
  package var name: String {
    switch self {
    case .push: "push"
    case .email: "email"
    case .sms: "sms"
    case .inapp: "inapp"
    }
  }

  package var setting: BuiltInSetting {
    switch self {
    case .push: .push
    case .email: .email
    case .sms: .sms
    case .inapp: .inapp
    }
  }
}

/// A set of channels, one bit each.
package struct ChannelSet: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  package init(_ channel: Channel) {
    self.init(rawValue: 1 << channel.rawValue)
  }

  package static let all = ChannelSet(rawValue: .max)

  package var channels: [Channel] {
    Channel.allCases.filter { contains(ChannelSet($0)) }
  }
}

extension Catalog {
  /// A reminder with its repetitions: the one that is repeated first.
  package func chain(of reminder: Reminder) -> [Symbol] {
    let first = reminder.repeated ?? reminder.symbol
    return [first] + repetitions[first, default: []]
  }

  /// A reminder with what repeats it: what ends its series ends all of them.
  func series(of symbol: Symbol) -> [Reminder] {
    ([symbol] + repetitions[symbol, default: []]).compactMap(reminder)
  }

  /// The reminders that are not told of a thing once an event has spoken of it.
  func replaced(by event: Symbol) -> [Symbol] {
    reminders.compactMap { $0.replacedBy == event ? $0.symbol : nil }
  }

  /// The numbers of days that have a milestone reported by an event, in order.
  package func milestones(reportedBy event: Symbol) -> [Int64] {
    reminders.compactMap { reminder in
      guard case .milestone(let trigger) = reminder.trigger, trigger.reportedBy == event else {
        return nil
      }
      return trigger.days
    }
  }
}
