import CivilTime
import Reminders

/// A catalog's reminders and event types, and the relations between them. A thing is what events
/// with one identifier are about, such as a booking.
struct Declarations: Sendable {
  let catalog: Catalog
  let reminders: [DeclaredReminder]
  /// The types of events that reminders use and apps report, sorted.
  let types: [String]
  /// The declarations of the event types that apps report, by type.
  private let schemas: [String: EventSchema]
  /// The indices in `reminders`, by the reminder's identifier.
  private let indices: [String: Int]
  /// The kind of thing that an event is about, by the event's type.
  private let kinds: [String: String]

  init(_ catalog: Catalog) {
    self.catalog = catalog
    let names = EventNames(catalog)
    // A world, the made-up events that are checked, has no roles. So messages to people in a role
    // are not judged.
    reminders = catalog.reminders.filter { $0.relay == nil && $0.recipientRole == nil }
      .map { DeclaredReminder($0, catalog, names) }
    indices = Dictionary(
      reminders.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    let reported = catalog.events.filter { !$0.isCopy }
    let known = Dictionary(reported.map { ($0.type, $0) }, uniquingKeysWith: { first, _ in first })
    let used = Set(reminders.flatMap { names.used(by: $0.reminder) })
    schemas = known
    types = used.filter { known[$0]?.isFact == true }.sorted()
    kinds = Self.kinds(reminders, names, schemas)
  }

  /// Returns the kind of thing of each event type. If one reminder uses several types, their events
  /// are about the same kind of thing, even if their fields have different names.
  private static func kinds(
    _ reminders: [DeclaredReminder], _ names: EventNames, _ schemas: [String: EventSchema]
  ) -> [String: String] {
    var kinds = schemas.compactMapValues { $0.identifierField?.name }
    for declared in reminders {
      let related = Set(names.used(by: declared.reminder).compactMap { kinds[$0] })
      guard related.count > 1, let kind = related.min() else { continue }
      for (type, other) in kinds where related.contains(other) { kinds[type] = kind }
    }
    return kinds
  }

  /// Returns the identifier of a numbered thing for events of a type; nil if such events have no
  /// identifier.
  func thing(_ number: Int, of type: String) -> String? { kinds[type].map { "\($0)-\(number)" } }

  func schema(_ type: String) -> EventSchema? { schemas[type] }

  subscript(name: String) -> DeclaredReminder? { indices[name].map { reminders[$0] } }

  /// Returns the reminders that events of a type plan.
  func reminders(causedBy type: String) -> [DeclaredReminder] {
    reminders.filter { $0.causes.contains(type) }
  }

  /// Returns the reminder that a reminder repeats, or the reminder itself.
  func first(of declared: DeclaredReminder) -> DeclaredReminder {
    guard let symbol = declared.reminder.repeated else { return declared }
    return reminders.first { $0.reminder.symbol == symbol } ?? declared
  }

  /// Returns the position of a reminder among its repetitions; 0 for a reminder that repeats none.
  func position(of declared: DeclaredReminder) -> Int {
    catalog.chain(of: declared.reminder).firstIndex(of: declared.reminder.symbol) ?? 0
  }

  /// Whether events of the type name a thing.
  func namesThing(_ type: String) -> Bool { schema(type)?.identifierField != nil }
}

extension EventSchema {
  /// Whether the events of the type report facts, and not settings or commands.
  fileprivate var isFact: Bool {
    switch shape {
    case .happening, .report: true
    default: false
    }
  }
}

/// The names of event types by the symbols that reminders contain.
struct EventNames {
  private var names: [Symbol: String] = [:]

  init(_ catalog: Catalog) {
    // No app reports withdrawals, so they end nothing in a world.
    for schema in catalog.events
    where !(schema.isCopy && schema.type.hasSuffix(", withdrawn")) {
      // A copy for another recipient counts as the event that apps report.
      let base = schema.isCopy ? schema.type.split(separator: " ").first.map(String.init) : nil
      names[Symbol(schema.type)] = base ?? schema.type
    }
  }

  subscript(symbol: Symbol) -> String? { names[symbol] }

  /// Returns the types that the reminder's trigger and conditions name.
  func used(by reminder: Reminder) -> [String] {
    let terms = reminder.terms
    let conditions =
      [terms?.from, terms?.having?.event, terms?.upcoming?.event].compactMap { $0 }
      + (terms?.unless ?? []) + (terms?.upcoming?.cancelledBy ?? [])
    let trigger = reminder.trigger
    let symbols =
      trigger.causes + (trigger.endings + trigger.pauses + conditions).map(\.event)
      + [reminder.replacedBy, trigger.freeze].compactMap { $0 }
    return symbols.compactMap { self[$0] }
  }
}

extension Trigger {
  /// The events that plan occurrences.
  var causes: [Symbol] {
    switch self {
    case .calendar(let trigger):
      if case .events(let events)? = trigger.series?.start { events.map(\.event) } else { [] }
    case .after(let trigger): [trigger.event]
    case .milestone(let trigger): [trigger.reportedBy] + trigger.since
    case .items(let trigger): [trigger.event]
    case .plan(let trigger): [trigger.event]
    case .idle(let trigger): trigger.events
    case .request: []
    }
  }

  /// The events that cancel or end occurrences.
  var endings: [EventCondition] {
    switch self {
    case .calendar(let trigger):
      [trigger.until].compactMap { $0 } + (trigger.series?.cancelledBy ?? [])
    case .after(let trigger): trigger.cancelledBy
    case .items(let trigger): trigger.cancelledBy
    case .plan(let trigger): [trigger.until].compactMap { $0 } + trigger.cancelledBy
    case .milestone, .idle, .request: []
    }
  }

  /// The events that interrupt a series for some dates.
  var pauses: [EventCondition] {
    switch self {
    case .calendar(let trigger): [trigger.pause?.event].compactMap { $0 }
    case .plan(let trigger): [trigger.pause?.event].compactMap { $0 }
    case .after, .milestone, .items, .idle, .request: []
    }
  }

  /// The event that postpones milestones; nil if there is none.
  fileprivate var freeze: Symbol? {
    guard case .milestone(let trigger) = self else { return nil }
    return trigger.freeze?.event
  }
}
