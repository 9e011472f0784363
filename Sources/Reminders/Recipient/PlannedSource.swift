import CivilTime

/// The source of the planned occurrences for which a day's capacity is reserved (rule V12).
enum PlannedSource {
  /// The future occurrences that firing has found; of a series, only the next one. Using them is
  /// faster: evaluating every reminder again would double the cost of firing.
  case future([Planned])
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
    case .future(let future):
      Work.count(future.count)
      for planned in future {
        context.forEachPlanned(
          planned.occurrence, of: planned.reminder, before: end, progress: progress, body)
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
    case .future(let future): future.contains { context.urgency(of: $0.reminder) > urgency }
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
  /// the cap, and its urgency must not be the lowest, so that less urgent occurrences can wait.
  func mayReserve(_ reminder: Reminder) -> Bool {
    (Urgency.normal...Urgency.high).contains(urgency(of: reminder))
  }
}
