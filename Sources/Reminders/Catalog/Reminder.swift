package import CivilTime

/// A declared rule that plans notifications for a recipient. It is a class, so that iterating over
/// a catalog's reminders for many recipients copies nothing.
package final class Reminder: Sendable {
  /// The reminder's stable identifier, such as `daily-checkin-reminder`.
  package let identifier: String
  /// The symbol by which stored rows name the reminder. The reminders for requests, whose
  /// identifiers are equal, have different symbols.
  package let symbol: Symbol
  /// The index of the reminder's category in the catalog.
  package let category: Int
  /// The index of the setting that enables the reminder's group. If the reminder has several
  /// groups, it is the setting of the last one.
  package let groupSwitch: Int
  /// Further conditions: other groups that must be enabled, and values of parameters.
  package let conditions: [SettingCondition]
  package let trigger: Trigger
  /// The events that must or must not have happened for an occurrence to be planned.
  package let terms: Terms?
  /// The conditions on the fields of the event that an occurrence follows.
  package let data: [DataCondition]
  /// The distance from the trigger's instant to the occurrence.
  package let offset: Offset
  /// The days of rest that the reminder declares in addition to those of the recipient's settings;
  /// nil if there are none. On days of rest, occurrences are dropped, held or moved.
  package let calendar: CalendarRules?
  /// The channels of the category that the reminder may use.
  package let channels: ChannelSet
  /// The reminder's urgency; nil if it has the category's urgency.
  package let urgency: Urgency?
  /// The topics of the messages, among which recipients choose; nil if there are none.
  package let topics: Topics?
  /// Whether texts may contain the recipient's name.
  let mayNameRecipient: ToggleSource
  /// Whether an occurrence before an instant is dropped, and not sent late, if the instant is
  /// reported after the occurrence's planned time (rule T13).
  let skipsLate: Bool
  /// How long after its planned instant an occurrence may be sent (rule T7).
  package let expires: TimeSpan
  /// If the gates would hold an occurrence until it is too late, it is sent earlier: this span
  /// before the gates close (rule V15).
  package let early: TimeSpan
  package let messages: [MessageTemplate]
  /// The rule that combines several occurrences into one notification (rule N2).
  package let batch: BatchRule?
  /// The target of a tap, with other data for the app; nil if there is none.
  package let link: Link?
  /// The answers that the notification offers: the reminder's own, or else those of its category.
  package let actions: [NotificationAction]
  /// Whether the reminder's notifications are withdrawn when they no longer apply (rule D16).
  package let withdraws: Bool
  /// The type of event that replaces this reminder. If such an event is about the same entity, its
  /// reminder is sent instead. The order of the two events does not matter.
  package let replacedBy: Symbol?
  /// The reminder that this one repeats (`again`, `repeats`); nil if this one is not a repetition.
  /// A repetition has the key of the occurrence that it repeats.
  package let repeated: Symbol?
  /// The message to other people that this reminder sends instead of a notification; nil for a
  /// notification to the recipient.
  package let relay: Relay?
  /// The role in which the recipient gets this reminder's messages about another person; nil for
  /// notifications about the recipient.
  package let recipientRole: String?
  /// The category whose requested notifications this reminder sends; nil for a reminder that a
  /// catalog declares.
  let requestedCategory: Symbol?
  /// Whether the reminder recurs, so that only the latest of several missed occurrences is sent.
  package let isRepeating: Bool
  /// Whether several occurrences may be pending at once, each for another entity or request. A
  /// repeating reminder has one for each entity.
  package let allowsSeveralPending: Bool

  /// The optional properties of a reminder.
  package struct Options: Sendable {
    package var conditions: [SettingCondition] = []
    package var terms: Terms?
    package var data: [DataCondition] = []
    package var offset = Offset.zero
    package var calendar: CalendarRules?
    package var channels = ChannelSet.all
    package var urgency: Urgency?
    package var batch: BatchRule?
    package var link: Link?
    package var actions: [NotificationAction] = []
    package var withdraws = false
    package var replacedBy: Symbol?
    package var topics: Topics?
    package var mayNameRecipient = ToggleSource.fixed(true)
    package var repeated: Symbol?
    package var early = Reminder.defaultEarly
    package var skipsLate = false
    var relay: Relay?
    var recipientRole: String?

    package init() {}
  }

  package convenience init(
    identifier: String, category: Int, groupSwitch: Int, trigger: Trigger, expires: TimeSpan,
    messages: [MessageTemplate], options: Options = Options()
  ) {
    self.init(
      identifier: identifier, symbol: Symbol(identifier), category: category,
      groupSwitch: groupSwitch, trigger: trigger, expires: expires, messages: messages,
      options: options)
  }

  /// Creates the reminder for the notifications that apps request in a category.
  convenience init(requestedIn category: Category, index: Int) {
    var options = Options()
    options.actions = category.actions
    options.withdraws = category.withdraws
    self.init(
      identifier: Self.requested, symbol: Symbol("\(Self.requested) \(category.name)"),
      category: index, groupSwitch: BuiltInSetting.master.rawValue, trigger: .request,
      expires: .days(1), messages: [], options: options,
      requestedCategory: Symbol(category.name))
  }

  /// The default of `early`.
  package static let defaultEarly = TimeSpan.minutes(1)

  /// The name of requested notifications in timelines.
  package static let requested = "notification.requested"

  private init(
    identifier: String, symbol: Symbol, category: Int, groupSwitch: Int, trigger: Trigger,
    expires: TimeSpan, messages: [MessageTemplate], options: Options,
    requestedCategory: Symbol? = nil
  ) {
    self.identifier = identifier
    self.symbol = symbol
    self.category = category
    self.groupSwitch = groupSwitch
    self.trigger = trigger
    self.expires = expires
    self.messages = messages
    conditions = options.conditions
    terms = options.terms
    data = options.data
    offset = options.offset
    calendar = options.calendar
    channels = options.channels
    urgency = options.urgency
    batch = options.batch
    link = options.link
    actions = options.actions
    withdraws = options.withdraws
    replacedBy = options.replacedBy
    topics = options.topics
    mayNameRecipient = options.mayNameRecipient
    repeated = options.repeated
    early = options.early
    skipsLate = options.skipsLate
    relay = options.relay
    recipientRole = options.recipientRole
    self.requestedCategory = requestedCategory
    isRepeating =
      switch trigger {
      case .calendar, .plan: true
      case .after, .milestone, .items, .idle, .request: false
      }
    allowsSeveralPending =
      switch trigger {
      case .items, .request, .plan: true
      case .calendar, .after, .milestone, .idle: false
      }
  }
}

extension Reminder {
  /// Returns a number for the series of a repeating reminder's occurrence: 0 for a calendar, the
  /// entity's code for a plan. Returns nil if the reminder does not repeat. In a series, keys
  /// ascend with time.
  func series(of key: Int64) -> Int64? {
    guard isRepeating else { return nil }
    return allowsSeveralPending ? PlanKey.series(of: key) : 0
  }

  /// Returns whether two occurrences belong to one series of the reminder.
  func hasOneSeries(_ key: Int64, _ other: Int64) -> Bool { series(of: key) == series(of: other) }

  /// The finished occurrences that a further one replaces.
  var replacedRecords: Progress.ReplacedRecords {
    guard allowsSeveralPending else { return .ofReminder }
    return isRepeating ? .ofSeries : .ofOccurrence
  }
}

/// A setting that must have one of several values, each from 0 to 63.
package struct SettingCondition: Hashable, Sendable {
  /// The index of the setting.
  package let setting: Int
  /// The allowed values: bit n is set if n is allowed.
  private let values: UInt64

  package init(setting: Int, values: [Int64]) {
    self.setting = setting
    self.values = values.reduce(0) { $0 | 1 << UInt64($1 & 63) }
  }

  /// Returns whether the two conditions are never true together.
  func excludes(_ other: SettingCondition) -> Bool {
    setting == other.setting && values & other.values == 0
  }

  package func holds(_ settings: Settings) -> Bool {
    let value = settings[setting]
    return (0..<64).contains(value) && values >> UInt64(value) & 1 == 1
  }
}

/// The events that must or must not have happened for an occurrence to be planned.
package struct Terms: Sendable {
  /// An event that must have happened before the occurrence.
  package var from: EventCondition?
  /// An event that must have happened within a span before the occurrence.
  package var having: Having?
  /// Events that must not have happened on the occurrence's day. If the reminder has several times
  /// of day, an event counts only for the nearest of these times.
  package var unless: [EventCondition] = []
  /// The local time at which a day begins for `unless` (rule G24).
  package var dayBegins = TimeSource.fixed(.midnight)
  /// An entity that must have an instant soon after the occurrence.
  package var upcoming: Upcoming?

  package init() {}

  package struct Having: Sendable {
    package var event: EventCondition
    /// The greatest age of the event at the planned instant.
    package var within: TimeSpan
    /// The minimum number of times.
    package var times = 1
  }

  /// The condition that an entity has an instant within a span after the occurrence.
  package struct Upcoming: Sendable {
    /// The event that reports the entity.
    package var event: EventCondition
    /// The event's field with the instant.
    package var field: Symbol
    /// The greatest span from the occurrence to the instant.
    package var within: SpanSource
    /// Events that cancel the entity.
    package var cancelledBy: [EventCondition]
  }

  var isEmpty: Bool {
    from == nil && having == nil && unless.isEmpty && upcoming == nil
  }
}

/// The local dates on which a reminder is skipped. The planned local date counts (rule V1).
package struct CalendarRules: Sendable {
  /// Whether the reminder is skipped on the recipient's weekend.
  package var weekends = ToggleSource.fixed(false)
  /// Whether the reminder is skipped on the holidays of the recipient's region.
  package var holidays = ToggleSource.fixed(false)
  /// The days of the week on which the reminder is skipped.
  package var days = DaysSource.fixed(0)
  /// The working day to which an occurrence of a skipped date is moved; nil if the occurrence is
  /// dropped or held instead.
  package var move: RestMove?

  package init() {}
}

/// The working day to which the occurrence of a day of rest is moved (rule G14).
package enum RestMove: String, CaseIterable, Sendable {
  case before, after, nearest

  var words: String {
    switch self {
    case .before: "the last working day before"
    case .after: "the next working day"
    case .nearest: "the nearest working day"
    }
  }
}

/// The part of a reminder that is checked first for each recipient. Outlines are contiguous in
/// memory, so that the many reminders that do not apply to a recipient are skipped fast.
struct ReminderOutline: Sendable {
  /// The events that the reminder's occurrences follow.
  let causes: SymbolSketch
  /// Whether the reminder may have occurrences that follow no event.
  let needsNoEvent: Bool

  init(_ reminder: Reminder) {
    switch reminder.trigger {
    case .calendar(let trigger):
      let events = Self.events(of: trigger, reminder.terms)
      (causes, needsNoEvent) = (SymbolSketch(events), events.isEmpty)
    case .after(let trigger): (causes, needsNoEvent) = (SymbolSketch([trigger.event]), false)
    case .milestone(let trigger):
      (causes, needsNoEvent) = (SymbolSketch(trigger.since + [trigger.reportedBy]), false)
    case .items(let trigger): (causes, needsNoEvent) = (SymbolSketch([trigger.event]), false)
    case .plan(let trigger): (causes, needsNoEvent) = (SymbolSketch([trigger.event]), false)
    case .idle(let trigger): (causes, needsNoEvent) = (SymbolSketch(trigger.events), true)
    case .request: (causes, needsNoEvent) = (.all, true)
    }
  }

  /// Returns the events without which a calendar reminder has no dates; empty if there are none.
  private static func events(of trigger: CalendarTrigger, _ terms: Terms?) -> [Symbol] {
    if let upcoming = terms?.upcoming { return [upcoming.event.event] }
    if case .events(let events) = trigger.series?.start { return events.map(\.event) }
    return []
  }

  /// Returns whether a recipient with these events may have an occurrence of the reminder.
  func mayOccur(after events: SymbolSketch) -> Bool {
    needsNoEvent || causes.mayIntersect(events)
  }
}
