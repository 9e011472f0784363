/// What is looked at first of each reminder, for each of a herd: all of it stands together in
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
    if let upcoming = terms?.upcoming { return [upcoming.event] }
    if case .events(let events) = trigger.series?.start { return events }
    return []
  }

  /// Whether it may have an occurrence for whom such events have happened.
  func mayOccur(after happened: SymbolSketch) -> Bool {
    isUncaused || causes.mayMeet(happened)
  }
}
