import CivilTime

extension PlanningContext {
  /// Returns the occurrence that follows the latest event that counts; nil if there is none.
  /// Returns nil also if the occurrence was cancelled or its series has ended.
  func occurrence(_ trigger: AfterTrigger, of reminder: Reminder) -> Occurrence? {
    guard let latest = latestOccurrence(trigger, of: reminder), let cause = latest.occurrence.cause,
      !isStopped(reminder, about: latest.identifier, since: cause)
    else { return nil }
    return latest.occurrence
  }

  /// Returns the occurrence that follows the latest event that counts, and the identifier of its
  /// entity. Returns nil if there is none, or if the occurrence was cancelled. The occurrence is
  /// returned even if the recipient has ended the series.
  func latestOccurrence(
    _ trigger: AfterTrigger, of reminder: Reminder
  ) -> (occurrence: Occurrence, identifier: String?)? {
    guard let mark = facts.mark(trigger.event) else { return nil }
    let match = trigger.match.map { facts.item(of: $0, settings) }
    let last = trigger.onlyHighest ? mark.peak?.stamp : mark.last
    let anchor = match.map { $0.map { facts.items[$0].stamp } } ?? last
    guard let anchor else { return nil }
    if let limit = trigger.below, let peak = mark.peak, peak.number >= limit { return nil }
    let item = match ?? item(of: trigger, reportedAt: anchor)
    let identifier = item.flatMap { trigger.identifier(of: facts.items[$0]) }
    let isCancelled = trigger.cancelledBy.contains {
      facts.isCancelled(anchor, about: identifier, by: $0)
    }
    if isCancelled { return nil }
    let number = trigger.onlyHighest ? mark.peak?.number : nil
    let occurrence = Occurrence(
      key: number ?? anchor.time.milliseconds,
      planned: planned(
        trigger.delay, after: anchor.time, settings(of: reminder, about: identifier)),
      cause: anchor, item: item)
    return (occurrence, identifier)
  }

  /// Returns the index of the item that an event created; nil if a later event has changed the
  /// item. The event with the highest number has a separate item, which later events do not change.
  private func item(of trigger: AfterTrigger, reportedAt stamp: Stamp) -> Int? {
    guard !facts.items.isEmpty else { return nil }
    func index(_ type: Symbol) -> Int? {
      facts.items.firstIndex { $0.type == type && $0.stamp == stamp }
    }
    return trigger.peakType.flatMap(index) ?? index(trigger.event)
  }

  /// Returns the occurrences of a milestone in the current streak, predicted and reported.
  func milestoneOccurrences(_ trigger: MilestoneTrigger) -> MilestoneOccurrences {
    let start = facts.latest(of: trigger.since)
    let key = start?.time.milliseconds ?? 0
    var occurrences = MilestoneOccurrences()
    if let start {
      occurrences.predicted = Occurrence(
        key: key, planned: predictedInstant(trigger, since: start), cause: start)
    }
    if let report = report(trigger)?.stamp {
      occurrences.reported = Occurrence(
        key: key, planned: report.time + trigger.delay, cause: report)
    }
    return occurrences
  }

  /// Returns when a streak will have lasted as long as a milestone requires. Each freeze before
  /// that instant postpones the instant.
  private func predictedInstant(_ trigger: MilestoneTrigger, since start: Stamp) -> Instant {
    var end = start.time + .days(Int(trigger.days))
    guard let freeze = trigger.freeze else { return end }
    // Items without an identifier are sorted by stamp.
    for index in facts.items(of: freeze.event) {
      let stamp = facts.items[index].stamp
      if stamp > start, stamp.time < end { end += freeze.span.span(settings) }
    }
    return end
  }

  /// Returns the report of a milestone in the current streak; nil if there is none.
  private func report(_ trigger: MilestoneTrigger) -> Mark.Numbered? {
    let start = facts.latest(of: trigger.since)
    return facts.mark(trigger.reportedBy)?.report(of: trigger.days).flatMap { report in
      start.map { $0 < report.stamp } ?? true ? report : nil
    }
  }

  /// Returns whether a milestone was reported as `interactive`. Such a milestone passes quiet
  /// hours, even if it was planned before the report (rule I4).
  func isInteractive(_ trigger: MilestoneTrigger) -> Bool {
    report(trigger)?.isInteractive ?? false
  }

  /// Returns the instant at which a delay after an instant ends.
  func planned(_ delay: Delay, after instant: Instant, _ settings: Settings) -> Instant {
    switch delay {
    case .elapsed(let span): return instant + span.span(settings)
    case .nextDate(let time):
      let date = zone.firstDate(from: zone.date(at: instant) + 1)
      return zone.instant(of: date, at: time.time(settings))
    case .nextTime(let time):
      let (date, time) = (zone.date(at: instant), time.time(settings))
      let today = zone.instant(of: date, at: time)
      if today > instant { return today }
      return zone.instant(of: zone.firstDate(from: date + 1), at: time)
    case .dates(let days, let time):
      let date = zone.date(at: instant) + Int(clamping: days.numbers(settings).first ?? 0)
      return zone.instant(of: zone.firstDate(from: date), at: time.time(settings))
    }
  }
}

/// The occurrences of a milestone: one predicted from the start of the streak, and one reported by
/// an app. The two have the same key, because the milestone is sent once (rule I4). If the report
/// arrived while the reminder was switched off, it was not processed, and the predicted occurrence
/// remains.
struct MilestoneOccurrences {
  var predicted: Occurrence?
  var reported: Occurrence?

  var all: [Occurrence] { [reported, predicted].compactMap { $0 } }

  /// Returns the earlier of the occurrences that are planned after an instant.
  func next(after cutoff: Instant) -> Occurrence? {
    guard let predicted, predicted.planned > cutoff else {
      return reported.flatMap { $0.planned > cutoff ? $0 : nil }
    }
    guard let reported, reported.planned > cutoff else { return predicted }
    return reported.planned < predicted.planned ? reported : predicted
  }
}

extension PlanningContext {
  /// Returns the occurrence for the idle time since the latest of the events, or since the
  /// recipient's earliest event.
  func occurrence(_ trigger: IdleTrigger) -> Occurrence? {
    guard let count = trigger.count.numbers(settings).first, count > 0 else { return nil }
    let last = facts.latest(of: trigger.events)
    guard let start = last ?? facts.created else { return nil }
    let unitCount = count * trigger.factor
    // The key is 0 if no such event has happened. So if another event is reported late and becomes
    // the earliest, no other idle time starts.
    return Occurrence(
      key: last?.time.milliseconds ?? 0, planned: start.time + trigger.unit * Int(unitCount),
      cause: last)
  }
}
