package import CivilTime

/// A declared rule that plans notifications for a recipient. A class, so that going through a
/// catalog's reminders for each of a crowd copies nothing.
package final class Reminder: Sendable {
  /// Its stable identifier, such as `daily-checkin-reminder`.
  package let identifier: String
  package let symbol: Symbol
  /// The index of its category in the catalog.
  package let category: Int
  /// The setting that switches its group on and off.
  package let isEnabled: Int
  /// What else must be so: further groups that are on, parameters that have a value.
  package let conditions: [Condition]
  package let trigger: Trigger
  /// What must have happened, or must not, for an occurrence to be planned.
  package let terms: Terms?
  /// What the event that it follows must have said.
  package let data: [DataCondition]
  /// So much elapsed time after its trigger's instant (rule T3).
  package let offset: TimeSpan
  /// The dates on which it is left out, for the gate that judges them; nil if there are none.
  package let calendar: CalendarRules?
  /// Those of its category's channels that it may go out on.
  package let channels: ChannelSet
  /// Its own urgency, where it differs from its category's.
  package let urgency: Urgency?
  /// The choice among what its messages are about, if there is one.
  package let topics: Topics?
  /// Whether its messages may call the person by name.
  let isNamed: ToggleSource
  /// Whether a late lead is dropped, not sent (rule T7).
  let skipsLate: Bool
  /// How long after its planned instant it may still go out (rule T7).
  package let expires: TimeSpan
  /// How long before the gates close it is brought forward, where its own time would be too late
  /// (rule V10).
  package let early: TimeSpan
  package let messages: [MessageTemplate]
  /// Which of its occurrences are told of as one (rule N2).
  package let batch: BatchRule?
  /// What an app does with it beside showing its text; nil if there is nothing to do.
  package let link: Link?
  /// The event about the same thing that is told instead, whichever is reported first.
  package let replacedBy: Symbol?
  /// The reminder that it repeats (`again`, `repeats`), whose occurrences have the same keys; nil
  /// for one that repeats none.
  package let repeated: Symbol?
  /// The category whose requests it says; nil for one that a catalog declares.
  let requestedCategory: Symbol?
  /// Whether it happens again and again: of several missed occurrences only the latest goes out.
  package let isRepeating: Bool
  /// Whether several of its occurrences may wait at once, each about something else.
  package let isPlural: Bool

  /// What a reminder may have beside what each must have.
  package struct Options: Sendable {
    package var conditions: [Condition] = []
    package var terms: Terms?
    package var data: [DataCondition] = []
    package var offset = TimeSpan.zero
    package var calendar: CalendarRules?
    package var channels = ChannelSet.all
    package var urgency: Urgency?
    package var batch: BatchRule?
    package var link: Link?
    package var replacedBy: Symbol?
    package var topics: Topics?
    package var isNamed = ToggleSource.fixed(true)
    package var repeated: Symbol?
    package var early = Reminder.earliness
    package var skipsLate = false

    package init() {}
  }

  package convenience init(
    identifier: String, category: Int, isEnabled: Int, trigger: Trigger, expires: TimeSpan,
    messages: [MessageTemplate], options: Options = Options()
  ) {
    self.init(
      identifier: identifier, symbol: Symbol(identifier), category: category,
      isEnabled: isEnabled, trigger: trigger, expires: expires, messages: messages,
      options: options)
  }

  /// What apps request to be said in a category.
  convenience init(requestedIn category: Category, index: Int) {
    self.init(
      identifier: Self.requested, symbol: Symbol("\(Self.requested) \(category.name)"),
      category: index, isEnabled: BuiltInSetting.master.rawValue, trigger: .request,
      expires: .days(1), messages: [], options: Options(),
      requestedCategory: Symbol(category.name))
  }

  /// How early a reminder is brought forward unless its catalog says otherwise.
  package static let earliness = TimeSpan.minutes(1)

  /// What everything that apps request is called in timelines.
  package static let requested = "notification.requested"

  private init(
    identifier: String, symbol: Symbol, category: Int, isEnabled: Int, trigger: Trigger,
    expires: TimeSpan, messages: [MessageTemplate], options: Options,
    requestedCategory: Symbol? = nil
  ) {
    self.identifier = identifier
    self.symbol = symbol
    self.category = category
    self.isEnabled = isEnabled
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
    replacedBy = options.replacedBy
    topics = options.topics
    isNamed = options.isNamed
    repeated = options.repeated
    early = options.early
    skipsLate = options.skipsLate
    self.requestedCategory = requestedCategory
    isRepeating = if case .calendar = trigger { true } else { false }
    isPlural =
      switch trigger {
      case .items, .request: true
      case .calendar, .after, .milestone, .idle: false
      }
  }
}

/// A setting that must have one of some values, each from 0 to 63.
package struct Condition: Hashable, Sendable {
  package let setting: Int
  /// The values, a bit for each.
  private let values: UInt64

  package init(setting: Int, values: [Int64]) {
    self.setting = setting
    self.values = values.reduce(0) { $0 | 1 << UInt64($1 & 63) }
  }

  /// Whether it never holds where another does.
  func excludes(_ other: Condition) -> Bool {
    setting == other.setting && values & other.values == 0
  }

  package func holds(_ settings: Settings) -> Bool {
    let value = settings[setting]
    return (0..<64).contains(value) && values >> UInt64(value) & 1 == 1
  }
}

/// What must have happened, or must not, for an occurrence to be planned.
package struct Terms: Sendable {
  /// An event that must have happened before.
  package var from: EventCondition?
  /// An event that must have happened within so much time before.
  package var having: Having?
  /// Events of which none may have happened on the occurrence's local date; of several times of a
  /// day, none for which it is the nearest.
  package var unless: [EventCondition] = []
  /// A thing whose instant must be near.
  package var upcoming: Upcoming?

  package init() {}

  package struct Having: Sendable {
    package var event: EventCondition
    package var within: TimeSpan
    /// How often at least.
    package var times = 1
  }

  /// An entity must have an instant within so much time after an occurrence.
  package struct Upcoming: Sendable {
    package var event: EventCondition
    package var field: Symbol
    package var within: SpanSource
    /// Events that take the entity back.
    package var cancelledBy: [EventCondition]
  }

  var isEmpty: Bool {
    from == nil && having == nil && unless.isEmpty && upcoming == nil
  }
}

/// The local dates on which a reminder is left out (rule V1: judged by the planned local date).
package struct CalendarRules: Sendable {
  /// On the recipient's weekend.
  package var weekends = ToggleSource.fixed(false)
  /// On the holidays of the recipient's region.
  package var holidays = ToggleSource.fixed(false)
  /// On these days of the week.
  package var days = DaysSource.fixed(0)

  package init() {}
}

/// What is looked at first of each reminder, for each of a crowd: all of it stands together in
/// memory, and most reminders have nothing to do with most recipients.
struct ReminderOutline: Sendable {
  /// The events that its occurrences follow.
  let causes: SymbolSketch
  /// Whether some of its occurrences follow no event.
  let isUncaused: Bool
  let isRepeating: Bool

  init(_ reminder: Reminder) {
    isRepeating = reminder.isRepeating
    switch reminder.trigger {
    case .calendar(let trigger):
      let events = Self.events(of: trigger, reminder.terms)
      (causes, isUncaused) = (SymbolSketch(events), events.isEmpty)
    case .after(let trigger): (causes, isUncaused) = (SymbolSketch([trigger.event]), false)
    case .milestone(let trigger):
      (causes, isUncaused) = (SymbolSketch(trigger.since + [trigger.reportedBy]), false)
    case .items(let trigger): (causes, isUncaused) = (SymbolSketch([trigger.event]), false)
    case .idle(let trigger): (causes, isUncaused) = (SymbolSketch(trigger.events), true)
    case .request: (causes, isUncaused) = (.all, true)
    }
  }

  /// The events without one of which a calendar reminder has no dates; empty where it needs none.
  private static func events(of trigger: CalendarTrigger, _ terms: Terms?) -> [Symbol] {
    if let upcoming = terms?.upcoming { return [upcoming.event.event] }
    if case .events(let events) = trigger.series?.start { return events.map(\.event) }
    return []
  }

  /// Whether a recipient with such events may have an occurrence of it.
  func mayOccur(after happened: SymbolSketch) -> Bool {
    isUncaused || causes.mayMeet(happened)
  }
}
