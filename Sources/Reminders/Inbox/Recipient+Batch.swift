import CivilTime

extension Recipient {
  /// Counts an occurrence to the batch that it belongs to, or opens one.
  ///
  /// - Returns: whether it goes on with a batch that is open: that has been told of, and only what
  ///   the app shows of it changes.
  mutating func joinBatch(
    _ occurrence: Occurrence, of reminder: Reminder, in situation: Situation
  ) -> Bool {
    guard let rule = reminder.batch, let item = occurrence.item else { return false }
    let details = situation.facts.items[item].details
    let (code, tally) = (rule.code(details), rule.tally(details))
    forgetBatches(in: situation)
    let open = progress.batches.firstIndex {
      $0.takes(occurrence.planned, reminder.symbol, code, rule.window)
    }
    if let open {
      progress.batches[open].add(occurrence.planned, tally)
      return true
    }
    progress.batches.append(
      Batch(
        reminder: reminder.symbol, code: code, opener: occurrence.key,
        opened: occurrence.planned, latest: occurrence.planned, tally: tally))
    return false
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

  /// Those whose window is over are kept as long as something of them is under way.
  private mutating func forgetBatches(in situation: Situation) {
    let (cutoff, underWay) = (progress.cutoff, progress.underWay)
    progress.batches.removeAll { batch in
      let window = situation.catalog.reminder(batch.reminder)?.batch?.window ?? .zero
      guard batch.opened + window < cutoff else { return false }
      return !underWay.contains { $0.reminder == batch.reminder && batch.holds($0.planned) }
    }
  }

  /// What opened the batches that gates still hold back, the earliest first: more may come of a
  /// batch than is remembered one by one.
  func openersUnderWay(of type: Symbol) -> [Item] {
    let held = progress.batches.filter { progress.isUnderWay($0.reminder, key: $0.opener) }
    guard !held.isEmpty else { return [] }
    let openers = Set(held.map(\.opener))
    let items = facts.items[facts.items(of: type)].filter { openers.contains($0.occurrenceKey) }
    return Array(items.prefix(Facts.reportsMax))
  }

  /// The batch that an occurrence belongs to.
  func batch(of reminder: Reminder, planned: Instant, _ details: Details?) -> Batch? {
    guard let rule = reminder.batch, let details else { return nil }
    let code = rule.code(details.values)
    return progress.batches.last {
      $0.reminder == reminder.symbol && $0.code == code && $0.holds(planned)
    }
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
