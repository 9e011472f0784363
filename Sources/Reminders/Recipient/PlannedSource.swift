import CivilTime

/// The source of planned occurrences for reservations of a day (rule V12).
enum PlannedSource {
  /// The future occurrences that were found while firing, of each series the next one. They are
  /// used because evaluating every reminder again would double the cost of firing.
  case found([Planned])
  /// The queue of a simulation.
  case queue(PlannedQueue)
  /// The reminders, each of which is evaluated.
  case reminders

  struct Planned {
    let reminder: Reminder
    let occurrence: Occurrence
  }

  /// Whether the source serves a simulation, which records nothing.
  var isSimulation: Bool { if case .queue = self { true } else { false } }

  /// Calls `body` for each occurrence due before an instant, including later occurrences of a
  /// series.
  ///
  /// - Parameter progress: the recipient's progress.
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
        guard context.mayReserve(reminder) else { return }
        context.forEachNext(reminder, after: progress.cutoff, progress: progress) {
          context.forEachPlanned($0, of: reminder, before: end, progress: progress, body)
        }
      }
    }
  }

  /// Returns whether an occurrence more urgent than `urgency` may be planned; true if that is
  /// unknown.
  func mayHave(above urgency: Urgency, in context: PlanningContext) -> Bool {
    switch self {
    case .found(let found): found.contains { context.urgency(of: $0.reminder) > urgency }
    case .queue(let queue):
      queue.mayHave { context.mayReserve($0) && context.urgency(of: $0) > urgency }
    case .reminders: true
    }
  }
}

extension PlanningContext {
  func urgency(of reminder: Reminder) -> Urgency {
    reminder.urgency ?? catalog.categories[reminder.category].urgency
  }

  /// Returns whether a reminder can have reservations (rule V12). Its deliveries must count towards
  /// the cap, and there must be a lower urgency, whose occurrences would wait.
  func mayReserve(_ reminder: Reminder) -> Bool {
    (Urgency.normal...Urgency.high).contains(urgency(of: reminder))
  }
}
