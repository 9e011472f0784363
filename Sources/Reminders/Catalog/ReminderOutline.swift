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
    case .calendar: (causes, isUncaused) = (SymbolSketch(), true)
    case .after(let trigger): (causes, isUncaused) = (SymbolSketch([trigger.event]), false)
    case .milestone(let trigger):
      (causes, isUncaused) = (SymbolSketch(trigger.since + [trigger.reportedBy]), false)
    case .items(let trigger): (causes, isUncaused) = (SymbolSketch([trigger.event]), false)
    case .idle(let trigger): (causes, isUncaused) = (SymbolSketch(trigger.events), true)
    case .request: (causes, isUncaused) = (.all, true)
    }
  }

  /// Whether it may have an occurrence for whom such events have happened.
  func mayOccur(after happened: SymbolSketch) -> Bool {
    isUncaused || causes.mayMeet(happened)
  }
}
