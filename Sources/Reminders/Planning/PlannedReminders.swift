/// The reminders of a catalog that may have an occurrence for a recipient: they are switched on,
/// and their events have happened.
struct PlannedReminders: Sequence, IteratorProtocol {
  private let context: PlanningContext
  /// The types of the events that the reminders' occurrences must follow; nil for all types.
  private let causes: SymbolSketch?
  /// The types of the events that have happened.
  private let happenedTypes: SymbolSketch
  private let outlines: [ReminderOutline]
  private let reminders: [Reminder]
  /// The index of the next reminder in `reminders`.
  private var index = 0
  /// The reminders for requests that remain to be visited.
  private var requestReminders: ArraySlice<Reminder>

  /// - Parameter hasRequests: whether the reminders for requests are included.
  init(
    _ context: PlanningContext, following causes: SymbolSketch?, after happenedTypes: SymbolSketch,
    hasRequests: Bool
  ) {
    (self.context, self.causes, self.happenedTypes) = (context, causes, happenedTypes)
    (outlines, reminders) = (context.catalog.outlines, context.catalog.reminders)
    requestReminders = hasRequests ? context.catalog.requestReminders[...] : []
  }

  mutating func next() -> Reminder? {
    while index < outlines.count {
      defer { index += 1 }
      guard outlines[index].mayOccur(after: happenedTypes),
        causes.map(outlines[index].causes.mayIntersect) ?? true,
        context.isPlanned(reminders[index])
      else { continue }
      return reminders[index]
    }
    while let reminder = requestReminders.popFirst() {
      if context.isPlanned(reminder) { return reminder }
    }
    return nil
  }
}
