import CivilTime

/// Where what is planned for a person is found, by who has to know what is to come of a day.
enum PlannedSource {
  /// What may have its slot kept of what firing has come across: of a series the next. To ask every
  /// reminder once more would double what firing costs.
  case found([Planned])
  case queue(PlannedQueue)
  /// Every reminder is asked.
  case reminders

  /// Something that is planned.
  struct Planned {
    let reminder: Reminder
    let occurrence: Occurrence
  }

  /// Whether a queue is lived through, to look ahead or in a simulation, where nothing is recorded.
  var isForeseen: Bool { if case .queue = self { true } else { false } }

  /// What has its turn before an instant, of a series all that follows as well.
  ///
  /// - Parameter progress: how far the person's reminders have come.
  func forEachPlanned(
    before end: Instant, progress: Progress, in context: PlanningContext,
    _ body: (Reminder, Occurrence) -> Void
  ) {
    switch self {
    case .queue(let queue):
      queue.forEachPlanned(before: end, progress: progress, in: context, body)
    case .found(let found):
      Work.count(found.count)
      for one in found {
        context.forEachPlanned(
          one.occurrence, of: one.reminder, before: end, progress: progress, body)
      }
    case .reminders:
      context.forEachPlanned { reminder in
        guard context.mayKeepSlot(reminder) else { return }
        context.forEachNext(reminder, after: progress.cutoff, progress: progress) {
          context.forEachPlanned($0, of: reminder, before: end, progress: progress, body)
        }
      }
    }
  }

  /// Whether something may be there that is more urgent than an urgency.
  func mayHave(above urgency: Urgency, in context: PlanningContext) -> Bool {
    switch self {
    case .found(let found): found.contains { context.urgency(of: $0.reminder) > urgency }
    case .queue(let queue):
      queue.mayHave { context.mayKeepSlot($0) && context.urgency(of: $0) > urgency }
    case .reminders: true
    }
  }
}

extension PlanningContext {
  func urgency(of reminder: Reminder) -> Urgency {
    reminder.urgency ?? catalog.categories[reminder.category].urgency
  }

  /// Whether something is less urgent than a reminder, and the reminder counts (rule V5).
  func mayKeepSlot(_ reminder: Reminder) -> Bool {
    (Urgency.normal...Urgency.high).contains(urgency(of: reminder))
  }
}
