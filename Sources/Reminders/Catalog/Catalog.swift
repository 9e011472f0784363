package import CivilTime

/// The declarations of the loaded catalog files, prepared for planning.
///
/// The catalog is a class, because many threads use it for each event. A copy of a structure would
/// count a reference to each part, and the threads would contend for these counts. Only
/// `CatalogReader` changes it, before any other thread has it.
package final class Catalog: @unchecked Sendable {
  /// The name of each loaded catalog, in the order of `sources`.
  package var catalogNames: [String] = []
  /// The source files, in the order in which they were read.
  package internal(set) var sources: [CatalogSource] = []
  /// The policies of the configuration; nil if it has none.
  package internal(set) var policySource: PolicySource?
  package private(set) var categories: [Category] = []
  package private(set) var reminders: [Reminder] = []
  /// The parts of `reminders` that are checked first, by the same indices.
  private(set) var outlines: [ReminderOutline] = []
  /// One reminder for each category, for the notifications that apps request in it.
  package internal(set) var requestReminders: [Reminder] = []
  package var presets: [Preset] = []
  /// The roles in which other people get notifications about a recipient (rule E12).
  package internal(set) var roles: [String] = []
  /// The titles of categories and settings.
  package var titles = Titles()
  /// The texts of digests.
  var digest = DigestWords()
  /// The display hints, such as sound and badge, that the files declare as defaults.
  var declaredHints = DeclaredHints()
  /// The settings of every recipient, built-in and declared ones.
  package var settings = SettingsSchema()
  /// The operator's policies (rule V18).
  package internal(set) var policies = Policies()
  package private(set) var events: [EventSchema] = EventSchema.builtIn
  /// The former names of reminders (rule T10).
  package internal(set) var renaming = Renaming()
  /// A hash of the source texts, to detect that the files have changed.
  package var fingerprint = ""

  package init() {}

  /// Returns the reminder with a current or former name; nil if the catalog declares none.
  package func reminder(_ symbol: Symbol) -> Reminder? {
    guard let index = reminderIndices[symbol] else {
      return requestReminders.first { $0.symbol == symbol }
    }
    return reminders[index]
  }

  /// Returns the name by which an event refers to a reminder. For notifications that apps request,
  /// the name includes the category.
  package func name(of reminder: Reminder) -> String {
    guard case .request = reminder.trigger else { return reminder.identifier }
    return "\(reminder.identifier) \(categories[reminder.category].name)"
  }

  /// Returns an event type by its name; nil if it is not declared.
  package func event(_ type: String) -> EventSchema? {
    Work.countStep()
    return eventIndices[type].map { events[$0] }
  }

  /// Returns the maximum number of events without an identifier that facts keep for a type.
  func rememberedMax(of type: Symbol) -> Int { rememberedMaxima[type] ?? 0 }

  /// The names of the categories that each loaded file declares, by the file's catalog name.
  var categoryNames: [String: [String]] = [:]
  /// The result of `rememberedMax`, by type of event.
  private var rememberedMaxima: [Symbol: Int] = [:]
  /// The indices of `events` by type.
  private var eventIndices = EventSchema.builtIn.enumerated().reduce(into: [:]) {
    $0[$1.element.type] = $1.offset
  }
  /// The indices of `events` by the symbol of the type.
  private var eventSymbols = EventSchema.builtIn.enumerated().reduce(into: [:]) {
    $0[Symbol($1.element.type)] = $1.offset
  }
  /// Whether facts remember only the highest number of an event type, or each number. A type
  /// without remembered numbers has no entry.
  private var memories = EventSchema.builtIn.reduce(into: [:]) {
    $0[Symbol($1.type)] = $1.memory
  }
  private var categoryIndices: [String: Int] = [:]
  /// The events that plan occurrences for entities, and how long entities are remembered.
  var entityUse = EntityUse()
  /// For each field that names another recipient: the types of events that have this field and an
  /// identifier.
  var eventTypesByRecipientField: [String: [Symbol]] = [:]
  /// The types of withdrawal events that conditions of reminders count. Such an event reports that
  /// an entity no longer names its recipient (rule G10).
  var countedWithdrawals: Set<Symbol> = []
  /// The alternatives to each reminder for the same events. A setting selects one of them (rule
  /// V11).
  var alternatives: [Symbol: [Symbol]] = [:]
  /// The events that may end a notification whose reminder withdraws its notifications (rule D16).
  private(set) var withdrawalCauses: Set<Symbol> = []
  /// Whether any category or reminder withdraws its notifications (rule D16).
  package private(set) var hasWithdrawals = false
  /// Whether any reminder sends messages to other people (rule G17).
  package private(set) var hasRelays = false
  /// The events that may end an occurrence whose message other people have got.
  private(set) var relayEndings: Set<Symbol> = []
  /// The types of the events that are ignored if their recipient is not known.
  private var dependentTypes = Set(
    EventSchema.builtIn.filter(\.needsRecipient).map { Symbol($0.type) })
  /// The repetitions of each repeated reminder, in order of declaration.
  package internal(set) var repetitions: [Symbol: [Symbol]] = [:]
  /// The index in `reminders` of each current and former name. A stored occurrence is matched with
  /// its declaration by the reminder's name.
  var reminderIndices: [Symbol: Int] = [:]
}

/// Additions and lookups. Names are found in dictionaries, so that a catalog is read in linear time
/// (rule H16).
extension Catalog {
  func add(_ reminder: Reminder) {
    reminders.append(reminder)
    outlines.append(ReminderOutline(reminder))
    if reminder.relay != nil {
      hasRelays = true
      relayEndings.formUnion(reminder.endingEvents)
    }
    guard reminder.withdraws else { return }
    hasWithdrawals = true
    withdrawalCauses.formUnion(reminder.endingEvents)
  }

  func add(_ category: Category) {
    categoryIndices[category.name] = categoryIndices[category.name] ?? categories.count
    categories.append(category)
    hasWithdrawals = hasWithdrawals || category.withdraws
  }

  func set(_ actions: [NotificationAction], ofCategory index: Int) {
    categories[index].actions = actions
  }

  func categoryIndex(_ name: String) -> Int? {
    Work.countStep()
    return categoryIndices[name]
  }

  func add(_ schema: EventSchema) {
    let symbol = Symbol(schema.type)
    if eventSymbols[symbol] == nil {
      memories[symbol] = schema.memory
      if schema.needsRecipient { dependentTypes.insert(symbol) }
    }
    eventIndices[schema.type] = eventIndices[schema.type] ?? events.count
    eventSymbols[symbol] = eventSymbols[symbol] ?? events.count
    events.append(schema)
    keepLatest(schema.rememberedMax, of: symbol)
  }

  func event(_ type: Symbol) -> EventSchema? {
    Work.countStep()
    return eventSymbols[type].map { events[$0] }
  }

  /// Returns whether facts remember only the highest number of an event type, or each number; nil
  /// if they remember none.
  func memory(of type: Symbol) -> EventSchema.Memory? {
    Work.countStep()
    return memories[type]
  }

  /// Returns whether an event has no effect on a recipient without facts. Such events are
  /// withdrawals, messages about another person, and copies of relation events that lack the
  /// recipient's consent.
  package func needsRecipient(_ event: Event) -> Bool {
    if case .relation(let change) = event.content {
      return change.needsRecipient && self.event(event.type)?.isCopy == true
    }
    return dependentTypes.contains(event.symbol)
  }

  /// Makes facts keep at least the latest `count` events of a declared type individually.
  func keepLatest(_ count: Int, of type: Symbol) {
    guard let index = eventSymbols[type] else { return }
    events[index].rememberedMax = max(events[index].rememberedMax, count)
    rememberedMaxima[type] = max(rememberedMax(of: type), count)
  }

  /// Makes facts keep those events of a declared type that match a selection.
  func keepMatches(_ match: EventSelection, of type: Symbol) {
    guard let index = eventSymbols[type] else { return }
    events[index].matches.append(match)
    rememberedMaxima[match.type] = max(rememberedMax(of: match.type), match.rememberedMax)
  }

  /// Makes facts keep, besides the latest events of a declared type, its event with the highest
  /// number.
  ///
  /// - Returns: the type under which facts keep that event; nil for a built-in type.
  func keepHighest(of type: Symbol) -> Symbol? {
    guard let index = eventSymbols[type], case .report = events[index].shape else { return nil }
    let peak = Symbol("\(events[index].type) highest")
    events[index].peakType = peak
    rememberedMaxima[peak] = 1
    return peak
  }
}

/// A class of notifications.
package struct Category: Sendable {
  package var name: String
  package var title: String
  /// The text below the title on a settings page.
  package var description: String?
  /// Whether the catalog forbids switching the category off (rule P3).
  package var isLocked = false
  package var urgency: Urgency
  /// The channels of the category, in the order of fallback.
  package var channels: [CategoryChannel]
  /// The action in quiet hours (rule V3).
  package var quietAction = QuietAction.hold
  /// The action when the daily cap, or an operator's cap on dates, is reached (rules V13, V20).
  package var capAction = CapAction.hold
  /// The action in a vacation (rule V4).
  package var vacationAction = VacationAction.hold
  /// The actions that notifications of this category offer. A reminder's own actions take
  /// precedence.
  package var actions: [NotificationAction] = []
  /// The wait for a receipt, after which another channel follows; nil if the category does not
  /// wait.
  package var confirmation: Confirmation?
  /// How long push counts as reaching the recipient after a device was last seen. It applies only
  /// where another channel can reach the recipient (rule V17).
  package var reachable = Category.defaultReachable
  /// Whether notifications are withdrawn when they no longer apply (rule D16). A reminder's own
  /// `withdraw` takes precedence.
  package var withdraws = false
  /// The channels on which notifications show their discreet texts (rule D17).
  package var discreetChannels: ChannelSet = []

  /// The default of `reachable`.
  package static let defaultReachable = TimeSpan.days(30)

  /// Whether the category is on even if the master switch or the switches of its channels are off.
  var isAlwaysOn: Bool { isLocked || urgency == .mandatory }

  package var canBeSwitchedOff: Bool { !isAlwaysOn }
}

package struct CategoryChannel: Sendable {
  package var channel: Channel
  /// The index of the setting that switches the channel on or off.
  package var setting: Int
  /// Whether the channel is used only if the other channels cannot reach the recipient.
  package var isOnlyFallback = false
  /// Whether the channel is used when the others cannot reach the recipient, even if this channel
  /// is off by default (rule D8). A channel that the recipient has switched off replaces none,
  /// except in a locked or mandatory category.
  package var isFallback = false
}

/// A way to reach a recipient. Raw values are stored: never renumber.
package enum Channel: UInt8, CaseIterable, Sendable {
  case push, email, sms, inapp

  package init?(name: String) {
    guard let channel = Self.allCases.first(where: { "\($0)" == name }) else { return nil }
    self = channel
  }

  /// The name in catalogs, events and answers. It is written out here because each delivery reads
  /// it, and printing the case takes a thousand instructions.
  package var name: String {
    switch self {
    case .push: "push"
    case .email: "email"
    case .sms: "sms"
    case .inapp: "inapp"
    }
  }

  /// The switch of the channel.
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
  /// Returns the symbols of the chain to which a reminder belongs: the original first, then all its
  /// repetitions.
  package func chain(of reminder: Reminder) -> [Symbol] {
    let first = reminder.repeated ?? reminder.symbol
    return [first] + repetitions[first, default: []]
  }

  /// Returns a reminder's chain, except the members that send messages to other people.
  func ownChain(of reminder: Reminder) -> [Symbol] {
    let chain = chain(of: reminder)
    return hasRelays ? chain.filter { self.reminder($0)?.relay == nil } : chain
  }

  /// Returns the reminders that are cancelled and resumed together: a reminder and its repetitions.
  ///
  /// - Parameter symbol: any of these reminders.
  func series(of symbol: Symbol) -> [Reminder] {
    reminder(symbol).map { chain(of: $0).compactMap(reminder) } ?? []
  }

  /// Returns the extent of a command that ends or resumes the series of a reminder and its
  /// repetitions, for all entities.
  func wholeSeries(of symbol: Symbol) -> SeriesExtent {
    SeriesExtent(reminder: reminder(symbol)?.repeated ?? symbol)
  }

  /// Returns the time from a reminder's occurrence to its last repetition, or zero if it has none.
  /// A local date counts as 24 hours.
  func repetitionSpan(of symbol: Symbol) -> TimeSpan {
    guard let names = repetitions[symbol], let first = reminder(symbol) else { return .zero }
    let spans = names.compactMap(reminder).map { $0.offset.length - first.offset.length }
    return max(spans.max() ?? .zero, .zero)
  }

  /// Returns whether a reminder follows events with an identifier, so that its series belong to
  /// entities. Returns true for an unknown reminder, which may follow such events.
  func hasEntities(_ symbol: Symbol) -> Bool {
    switch reminder(symbol)?.trigger {
    case nil: true
    case .items(let trigger): event(trigger.event)?.identifierField != nil
    case .after(let trigger): event(trigger.event)?.identifierField != nil
    case .calendar(let trigger):
      if case .events(let events) = trigger.series?.start {
        events.contains(where: \.isPerEntity)
      } else {
        false
      }
    case .plan: true
    case .milestone, .idle, .request: false
    }
  }

  /// Returns the reminders that name an event type in `replacedBy`. The reminder of such an event
  /// is sent instead of the returned reminders' occurrences about the same entity.
  func remindersReplaced(by event: Symbol) -> [Symbol] {
    reminders.compactMap { $0.replacedBy == event ? $0.symbol : nil }
  }

  /// Returns the numbers of days of the milestones that an event type reports, in order of
  /// declaration.
  package func milestones(reportedBy event: Symbol) -> [Int64] {
    reminders.compactMap { reminder in
      guard case .milestone(let trigger) = reminder.trigger, trigger.reportedBy == event else {
        return nil
      }
      return trigger.days
    }
  }
}
