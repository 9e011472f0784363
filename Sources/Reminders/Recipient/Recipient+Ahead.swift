package import CivilTime

extension Recipient {
  /// What will happen up to an instant if nothing else is reported (rule L2): by the same functions
  /// that fire, on a clock that is wound forward.
  ///
  /// - Complexity: linear in what is pending, and in how often gates look at it until then.
  package func ahead(from now: Instant, through end: Instant, planner: Planner) -> [Firing] {
    var copy = self
    return copy.live(from: now, through: end, planner: planner, effort: .max)
  }

  /// The same as far as it can be had without making others wait (rule H6).
  ///
  /// - Parameter observer: told of what the gates are asked with, for those who explain.
  package func foreseen(
    from now: Instant, through end: Instant, planner: Planner, observer: GateObserver? = nil
  ) -> [Firing] {
    var copy = self
    return copy.live(
      from: now, through: end, planner: planner, effort: effort, observer: observer)
  }

  /// How many verdicts are foreseen at most: 32 for each thing that waits, which is more than two
  /// weeks of days with a cap have. A thousand things that a minimum interval lets out one by one
  /// would take half a million.
  var effort: Int {
    4_096 + 32 * (progress.underWay.count + facts.requests.count + facts.items.count)
  }

  /// Lives on to an instant, but for forgetting the requests that are settled on the way: facts
  /// that are a little too many plan the same, for what is planned before the cutoff is past.
  ///
  /// - Parameter effort: after how many verdicts to stop.
  mutating func live(
    from now: Instant, through end: Instant, planner: Planner, effort: Int,
    observer: GateObserver? = nil
  ) -> [Firing] {
    let context = PlanningContext(facts: facts, planner: planner)
    var queue = PlannedQueue(self, in: context)
    var firings: [Firing] = []
    var day: DayAhead?
    var effort = effort
    while effort > 0, let next = nextDue(queue).map({ max($0, now) }), next <= end {
      effort -=
        1
        + fire(
          now: next, from: &queue, &day, in: context, firings: &firings, observer)
    }
    return firings
  }

  private func nextDue(_ queue: PlannedQueue) -> Instant? {
    guard let due = progress.underWay.first?.due else { return queue.next }
    return queue.next.map { min($0, due) } ?? due
  }

  /// - Returns: how many verdicts that took.
  private mutating func fire(
    now: Instant, from queue: inout PlannedQueue, _ day: inout DayAhead?,
    in context: PlanningContext,
    firings: inout [Firing], _ observer: GateObserver?
  ) -> Int {
    for due in queue.takeDue(by: now) {
      guard !due.reminder.isPlural else {
        startItems(due.occurrences, of: due.reminder, in: context)
        continue
      }
      let next = startSeries(of: due.reminder, now: now, in: context, firings: &firings)
      if let next { queue.add(next, after: due) }
    }
    progress.cutoff = max(progress.cutoff, now)
    return decideDue(
      now: now, in: context, planned: .queue(queue), &day, firings: &firings, observer
    ).count
  }
}

/// What is planned for a person, to be taken out as its time comes: to ask every reminder anew at
/// each instant would look at everything that is pending as often as there are instants.
struct PlannedQueue {
  /// A reminder with what is due of it.
  struct Due {
    let reminder: Reminder
    /// The reminder's place among those that are planned.
    let place: Int
    /// Of a reminder of which several may wait.
    var occurrences: [Occurrence] = []
  }

  private struct Single {
    let reminder: Reminder
    let place: Int
    let occurrence: Occurrence
    /// When it has its turn: at its own time, or before (rule V10).
    let turn: Instant
  }

  /// Of reminders of which one occurrence follows the other, the next.
  private var series: [Single] = []
  /// Of the others all, the earliest last.
  private var items: [Single] = []

  init(_ recipient: Recipient, in context: PlanningContext) {
    var place = 0
    let progress = recipient.progress
    context.forEachPlanned { reminder in
      context.forEachNext(reminder, after: progress.cutoff, progress: progress) { occurrence in
        let turn = context.turn(of: occurrence, of: reminder, after: progress.cutoff)
        let single = Single(
          reminder: reminder, place: place, occurrence: occurrence, turn: turn)
        if reminder.isPlural { items.append(single) } else { series.append(single) }
      }
      place += 1
    }
    items.sort { $0.turn > $1.turn }
  }

  var count: Int { series.count + items.count }

  var next: Instant? {
    Work.count(series.count + 1)
    let first = series.map(\.occurrence.planned).min()
    guard let item = items.last?.turn else { return first }
    return min(first ?? item, item)
  }

  /// Takes out what is planned up to an instant, in the order of the reminders.
  mutating func takeDue(by now: Instant) -> [Due] {
    var due: [Due] = []
    for single in series where single.occurrence.planned <= now {
      due.append(Due(reminder: single.reminder, place: single.place))
    }
    series.removeAll { $0.occurrence.planned <= now }
    var places: [Int: Int] = [:]
    while let item = items.last, item.turn <= now {
      items.removeLast()
      let index = places[item.place] ?? due.count
      if index == due.count { due.append(Due(reminder: item.reminder, place: item.place)) }
      places[item.place] = index
      due[index].occurrences.append(item.occurrence)
    }
    return due.sorted { $0.place < $1.place }
  }

  /// Puts in what follows of a series.
  mutating func add(_ occurrence: Occurrence, after due: Due) {
    series.append(
      Single(
        reminder: due.reminder, place: due.place, occurrence: occurrence,
        turn: occurrence.planned))
  }

  /// What has its turn before an instant, of a series all that follows as well.
  func forEachPlanned(
    before end: Instant, progress: Progress, in context: PlanningContext,
    _ body: (Reminder, Occurrence) -> Void
  ) {
    Work.count(series.count)
    for single in series {
      context.forEachPlanned(
        single.occurrence, of: single.reminder, before: end, progress: progress, body)
    }
    for single in items.reversed() {
      guard single.turn < end else { return }
      body(single.reminder, single.occurrence)
    }
  }
}
