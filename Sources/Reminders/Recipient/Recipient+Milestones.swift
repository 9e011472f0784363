import CivilTime

/// A reported milestone, with the occurrence that assigns it to one of the known streaks.
struct ReportedMilestone {
  let reminder: Symbol
  let trigger: MilestoneTrigger
  let occurrence: Occurrence
}

extension Recipient {
  /// Returns the reported milestones whose streak may start with one of `events`. These milestones
  /// were processed before the events arrived. The events are not yet applied to the facts.
  func reportedMilestones(startedBy events: [Event], _ planner: Planner) -> [ReportedMilestone] {
    let reminders = planner.catalog.reminders.filter { reminder in
      guard case .milestone(let trigger) = reminder.trigger else { return false }
      return events.contains { trigger.since.contains($0.symbol) }
        && progress.contains(reminder.symbol)
    }
    guard !reminders.isEmpty else { return [] }
    let context = PlanningContext(facts: facts, planner: planner)
    return reminders.compactMap { reminder in
      guard case .milestone(let trigger) = reminder.trigger,
        let reported = context.milestoneOccurrences(trigger).reported
      else { return nil }
      return ReportedMilestone(
        reminder: reminder.symbol, trigger: trigger, occurrence: reported)
    }
  }

  /// Assigns milestones to their streaks by the times of their reports. The starts of the streaks
  /// must be in the facts. So a held milestone is not lost, and a sent one is not sent again (rules
  /// E1, I4).
  mutating func reassign(_ milestones: [ReportedMilestone], _ planner: Planner) {
    guard !milestones.isEmpty else { return }
    let context = PlanningContext(facts: facts, planner: planner)
    for milestone in milestones {
      let former = milestone.occurrence
      guard let current = context.milestoneOccurrences(milestone.trigger).reported,
        current.cause == former.cause, current.key != former.key
      else { continue }
      progress.changeKey(of: milestone.reminder, from: former.key, to: current.key)
    }
  }
}

extension Progress {
  /// Returns whether an occurrence of a reminder is in progress, finished or cancelled.
  fileprivate func contains(_ reminder: Symbol) -> Bool {
    finished(reminder) != nil || inProgress.contains { $0.reminder == reminder }
      || cancelled.contains { $0.reminder == reminder }
  }

  /// Changes the key of an occurrence, which may be in progress, finished or cancelled.
  fileprivate mutating func changeKey(of reminder: Symbol, from old: Int64, to new: Int64) {
    for index in inProgress.indices
    where inProgress[index].reminder == reminder && inProgress[index].key == old {
      inProgress[index].key = new
    }
    for index in finished.indices
    where finished[index].reminder == reminder && finished[index].key == old {
      finished[index].key = new
    }
    for index in cancelled.indices
    where cancelled[index].reminder == reminder && cancelled[index].key == old {
      cancelled[index].key = new
    }
  }
}
