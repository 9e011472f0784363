import CivilTime

extension Recipient {
  /// Counts an occurrence to the batch that it belongs to, or opens one.
  ///
  /// - Returns: whether it goes on with a batch that is open: that has been told of, and only what
  ///   the app shows of it changes.
  mutating func joinBatch(
    _ occurrence: Occurrence, of reminder: Reminder, in context: PlanningContext
  ) -> Bool {
    guard let rule = reminder.batch, let item = occurrence.item else { return false }
    let details = context.facts.items[item].details
    let (subject, tally) = (rule.subject(details), rule.tally(details))
    let known = batches(of: reminder.symbol, subject)
    let takers = known.filter { progress.batches[$0].takes(occurrence.planned, rule.window) }
    // The earliest window that is open then; or else one that opens earlier for it.
    let open =
      takers.filter { progress.batches[$0].opened <= occurrence.planned }
      .min { progress.batches[$0].opened < progress.batches[$1].opened } ?? takers.first
    if let open {
      progress.batches[open].add(occurrence.planned, tally)
      return true
    }
    progress.batches.insert(
      Batch(
        reminder: reminder.symbol, subject: subject, opener: occurrence.key,
        opened: occurrence.planned, latest: occurrence.planned, tally: tally),
      at: known.upperBound)
    return false
  }

  /// Where the batches of a subject are.
  private func batches(of reminder: Symbol, _ subject: ExactText) -> Range<Int> {
    let start = progress.batches.place { $0.isBefore(reminder, subject) }
    let end = progress.batches[start...].place {
      $0.reminder == reminder && $0.subject == subject
    }
    return start..<end
  }

  /// Notes that the person has read of a batch, by the occurrence that opened it.
  package mutating func closeBatch(of reminder: Symbol, opener: Int64) {
    for index in progress.batches.indices
    where progress.batches[index].reminder == reminder && progress.batches[index].opener == opener {
      progress.batches[index].isClosed = true
    }
  }

  /// The same for every batch.
  package mutating func closeBatches() {
    for index in progress.batches.indices { progress.batches[index].isClosed = true }
  }

  /// How many batches are remembered whose window is over: what is told of late belongs to them.
  private static let pastBatchesMax = 32

  /// Lets go of those of which nothing more is said, and of too many whose window is over, but for
  /// those of which something is under way. To be done before occurrences join them.
  mutating func forgetBatches(in context: PlanningContext) {
    guard !progress.batches.isEmpty else { return }
    let cutoff = progress.cutoff
    let planned = plannedUnderWay()
    Work.count(progress.batches.count)
    let latest = progress.batches.map(\.opened).sorted().suffix(Self.pastBatchesMax).first ?? cutoff
    progress.batches.removeAll { batch in
      let reminder = context.catalog.reminder(batch.reminder)
      let window = reminder?.batch?.window ?? .zero
      guard batch.opened + window < cutoff else { return false }
      let lifetime = batch.isClosed ? .zero : max(reminder?.expires ?? .zero, window)
      if batch.opened >= latest, batch.opened + lifetime >= cutoff { return false }
      let instants = planned[batch.reminder] ?? []
      let next = instants.place { $0 < batch.opened }
      return next == instants.endIndex || instants[next] > batch.latest
    }
  }

  /// The planned instants of what is under way of each reminder, ascending.
  private func plannedUnderWay() -> [Symbol: [Instant]] {
    Work.count(progress.underWay.count)
    return Dictionary(grouping: progress.underWay, by: \.reminder).mapValues { entries in
      entries.map(\.ownInstant).sorted()
    }
  }

  /// The batch that an occurrence belongs to.
  func batch(of reminder: Reminder, planned: Instant, _ details: Details?) -> Batch? {
    guard let rule = reminder.batch, let details else { return nil }
    let known = batches(of: reminder.symbol, rule.subject(details.values))
    return progress.batches[known].last { $0.holds(planned) }
  }
}

/// One occurrence of a person's, on whatever way out.
struct OccurrenceName: Hashable {
  var reminder: Symbol
  var key: Int64
}

extension OccurrenceName {
  init(_ entry: Progress.UnderWay) {
    self.init(reminder: entry.reminder, key: entry.key)
  }
}

extension Details {
  /// The same with what a whole batch has brought.
  func counting(_ batch: Batch?, by rule: BatchRule?) -> Details {
    guard let batch, let rule else { return self }
    var details = self
    details.values = values.map { detail in
      detail.field == rule.counted
        ? Detail(field: detail.field, value: .tally(batch.tally)) : detail
    }
    return details
  }
}
