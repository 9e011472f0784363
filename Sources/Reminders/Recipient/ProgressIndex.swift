/// An index of a recipient's progress by occurrence, for commands that look up many occurrences.
struct ProgressIndex: Sendable {
  /// The indices in `Progress.inProgress` of each occurrence's entries.
  private var inProgress: [OccurrenceName: [Int]] = [:]
  /// The occurrences in `Progress.cancelled`: the union of the next two sets.
  private var cancelled: Set<OccurrenceName> = []
  /// The occurrences that were sent before their planned instants (rule V15).
  private var sentEarly: Set<OccurrenceName> = []
  /// The occurrences that the recipient cancelled, and the digests that were snoozed.
  private var withdrawn: Set<OccurrenceName> = []
  /// The occurrences in `Progress.finished`.
  private var finished: Set<OccurrenceName> = []
  /// The finished occurrences that were sent, or replaced by a repetition.
  private var sent: Set<OccurrenceName> = []
  /// The keys of each reminder's finished occurrences.
  private var finishedKeys: [Symbol: [Int64]] = [:]

  init(_ progress: Progress) {
    Work.count(progress.inProgress.count + progress.cancelled.count + progress.finished.count)
    for (index, entry) in progress.inProgress.enumerated() {
      note(OccurrenceName(entry), entry: index)
    }
    for entry in progress.cancelled { note(entry) }
    for entry in progress.finished { note(entry) }
  }

  /// Adds an entry of an occurrence that is due, held or snoozed.
  ///
  /// - Parameter entry: the index of the entry in `Progress.inProgress`.
  mutating func note(_ name: OccurrenceName, entry: Int) {
    inProgress[name, default: []].append(entry)
  }

  private mutating func note(_ entry: Progress.Cancelled) {
    let name = OccurrenceName(entry)
    cancelled.insert(name)
    if entry.cause == .sent { sentEarly.insert(name) } else { withdrawn.insert(name) }
  }

  private mutating func note(_ entry: Progress.Finished) {
    let name = OccurrenceName(reminder: entry.reminder, key: entry.key)
    finished.insert(name)
    if entry.isSent { sent.insert(name) }
    finishedKeys[entry.reminder, default: []].append(entry.key)
  }

  /// Returns the indices in `Progress.inProgress` of an occurrence's entries.
  func entries(of name: OccurrenceName) -> [Int] {
    Work.countStep()
    return inProgress[name] ?? []
  }

  func isInProgress(_ name: OccurrenceName) -> Bool { !entries(of: name).isEmpty }

  /// Returns whether an occurrence is in `Progress.cancelled`, even if it was sent early.
  func isCancelled(_ name: OccurrenceName) -> Bool { cancelled.contains(name) }

  /// Returns whether an occurrence is finished, cancelled, due or held.
  func isDone(_ name: OccurrenceName) -> Bool {
    finished.contains(name) || isCancelled(name) || isInProgress(name)
  }

  /// Returns whether an occurrence was sent before its planned instant (rule V15).
  func wasSentEarly(_ name: OccurrenceName) -> Bool { sentEarly.contains(name) }

  /// Returns whether the recipient cancelled an occurrence, or snoozed the digest of this name.
  func isWithdrawn(_ name: OccurrenceName) -> Bool { withdrawn.contains(name) }

  /// Returns whether an occurrence is finished. An occurrence of a series also counts as finished
  /// if a later one is finished.
  func isFinished(_ name: OccurrenceName, of reminder: Reminder) -> Bool {
    guard reminder.isRepeating else { return finished.contains(name) }
    return finished.contains(name) || hasLaterFinished(name, of: reminder)
  }

  /// Returns whether an occurrence that is no longer due or held was sent. Returns true also if its
  /// outcome is not remembered: for requests, and for a series' earlier dates.
  func mayHaveBeenSent(_ name: OccurrenceName, of reminder: Reminder) -> Bool {
    if case .request = reminder.trigger { return true }
    if sent.contains(name) { return true }
    guard reminder.isRepeating else { return wasSentEarly(name) }
    return hasLaterFinished(name, of: reminder)
  }

  private func hasLaterFinished(_ name: OccurrenceName, of reminder: Reminder) -> Bool {
    guard let keys = finishedKeys[name.reminder] else { return false }
    Work.count(keys.count)
    return keys.contains { $0 > name.key && reminder.hasOneSeries($0, name.key) }
  }
}
