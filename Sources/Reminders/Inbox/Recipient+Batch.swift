import CivilTime

extension Recipient {
  /// Adds an occurrence to an open batch, or opens a batch for it.
  ///
  /// - Returns: whether the batch was already open. If so, only its inbox item changes, because the
  ///   batch's notification on other channels was sent or still waits.
  mutating func joinBatch(
    _ occurrence: Occurrence, of reminder: Reminder, in context: PlanningContext
  ) -> Bool {
    guard let rule = reminder.batch, let item = occurrence.item else { return false }
    let details = context.facts.items[item].details
    let (subject, tally) = (rule.subject(details), rule.tally(details))
    let subjectBatches = batches(of: reminder.symbol, subject)
    let accepting = subjectBatches.filter {
      progress.batches[$0].accepts(occurrence.planned, rule.window)
    }
    // The occurrence joins the earliest open batch that began before it, or else a batch whose
    // beginning it moves to an earlier instant.
    let open =
      accepting.filter { progress.batches[$0].earliest <= occurrence.planned }
      .min { progress.batches[$0].earliest < progress.batches[$1].earliest } ?? accepting.first
    if let open {
      progress.batches[open].add(occurrence.planned, tally)
      return true
    }
    progress.batches.insert(
      Batch(
        reminder: reminder.symbol, subject: subject, opener: occurrence.key,
        earliest: occurrence.planned, latest: occurrence.planned, tally: tally),
      at: subjectBatches.upperBound)
    return false
  }

  /// Returns the indices of a subject's batches.
  private func batches(of reminder: Symbol, _ subject: ExactText) -> Range<Int> {
    let start = progress.batches.partitionPoint { $0.isBefore(reminder, subject) }
    let end = progress.batches[start...].partitionPoint {
      $0.reminder == reminder && $0.subject == subject
    }
    return start..<end
  }

  /// Closes a batch that the recipient has read. The batch is identified by the occurrence that
  /// opened it.
  package mutating func closeBatch(of reminder: Symbol, opener: Int64) {
    for index in progress.batches.indices
    where progress.batches[index].reminder == reminder && progress.batches[index].opener == opener {
      progress.batches[index].isClosed = true
    }
  }

  /// Closes every batch.
  package mutating func closeBatches() {
    for index in progress.batches.indices { progress.batches[index].isClosed = true }
  }

  /// The maximum number of batches with a past window that are remembered for late reports.
  private static let pastBatchesMax = 32

  /// Removes batches whose window is over. Such a batch stays while one of its occurrences is in
  /// progress. If it is among the latest 32 and not closed, it also stays until late reports would
  /// have expired. Call it before occurrences join batches.
  mutating func forgetBatches(in context: PlanningContext) {
    guard !progress.batches.isEmpty else { return }
    let cutoff = progress.cutoff
    let planned = plannedInProgress()
    Work.count(progress.batches.count)
    let latest =
      progress.batches.map(\.earliest).sorted().suffix(Self.pastBatchesMax).first ?? cutoff
    progress.batches.removeAll { batch in
      let reminder = context.catalog.reminder(batch.reminder)
      let window = reminder?.batch?.window ?? .zero
      guard batch.earliest + window < cutoff else { return false }
      let lifetime = batch.isClosed ? .zero : max(reminder?.expires ?? .zero, window)
      if batch.earliest >= latest, batch.earliest + lifetime >= cutoff { return false }
      let instants = planned[batch.reminder] ?? []
      let next = instants.partitionPoint { $0 < batch.earliest }
      return next == instants.endIndex || instants[next] > batch.latest
    }
  }

  /// Returns the planned instants of each reminder's occurrences in progress, ascending.
  private func plannedInProgress() -> [Symbol: [Instant]] {
    Work.count(progress.inProgress.count)
    return Dictionary(grouping: progress.inProgress, by: \.reminder).mapValues { entries in
      entries.map(\.unsnoozedInstant).sorted()
    }
  }

  /// Returns the batch to which an occurrence belongs.
  func batch(of reminder: Reminder, planned: Instant, _ details: Details?) -> Batch? {
    guard let rule = reminder.batch, let details else { return nil }
    let subjectBatches = batches(of: reminder.symbol, rule.subject(details.values))
    return progress.batches[subjectBatches].last { $0.contains(planned) }
  }
}

/// The identity of an occurrence, which is the same in all its channel groups.
struct OccurrenceName: Hashable {
  var reminder: Symbol
  /// The key of the occurrence among those of its reminder.
  var key: Int64
}

extension OccurrenceName {
  init(_ entry: Progress.InProgress) {
    self.init(reminder: entry.reminder, key: entry.key)
  }

  init(_ member: Firing.Member) {
    self.init(reminder: member.reminder, key: member.key)
  }

  init(_ pending: Pending) {
    self.init(reminder: pending.reminder, key: pending.key)
  }
}

extension Details {
  /// Returns the details with the counts of the whole batch.
  func counting(_ batch: Batch?, by rule: BatchRule?) -> Details {
    guard let batch, let rule else { return self }
    var details = self
    details.values = values.map { detail in
      detail.field == rule.countedField
        ? Detail(field: detail.field, value: .tally(batch.tally)) : detail
    }
    return details
  }
}
