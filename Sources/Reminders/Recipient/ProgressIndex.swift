/// An index of the parts of a recipient's progress that commands look up for each occurrence.
struct ProgressIndex: Sendable {
  /// The indices in `Progress.underWay` of each occurrence's entries.
  private var underWay: [OccurrenceName: [Int]] = [:]
  private var cancelled: Set<OccurrenceName> = []
  private var saidAhead: Set<OccurrenceName> = []
  private var withdrawn: Set<OccurrenceName> = []
  private var settled: Set<OccurrenceName> = []
  private var said: Set<OccurrenceName> = []
  /// The highest key of each reminder's finished occurrences.
  private var highestSettled: [Symbol: Int64] = [:]

  init(_ progress: Progress) {
    Work.count(progress.underWay.count + progress.cancelled.count + progress.settled.count)
    for (index, entry) in progress.underWay.enumerated() {
      note(OccurrenceName(entry), entry: index)
    }
    for entry in progress.cancelled { note(entry) }
    for entry in progress.settled { note(entry) }
  }

  /// Adds an entry of an occurrence that is due, held or snoozed.
  ///
  /// - Parameter entry: its index in `Progress.underWay`.
  mutating func note(_ name: OccurrenceName, entry: Int) {
    underWay[name, default: []].append(entry)
  }

  private mutating func note(_ entry: Progress.Cancelled) {
    let name = OccurrenceName(entry)
    cancelled.insert(name)
    if entry.cause == .said { saidAhead.insert(name) } else { withdrawn.insert(name) }
  }

  private mutating func note(_ entry: Progress.Settled) {
    let name = OccurrenceName(reminder: entry.reminder, key: entry.key)
    settled.insert(name)
    if entry.isSent { said.insert(name) }
    highestSettled[entry.reminder] = max(highestSettled[entry.reminder] ?? entry.key, entry.key)
  }

  /// Returns the indices in `Progress.underWay` of an occurrence's entries.
  func entries(of name: OccurrenceName) -> [Int] {
    Work.count()
    return underWay[name] ?? []
  }

  func isUnderWay(_ name: OccurrenceName) -> Bool { !entries(of: name).isEmpty }

  func isCancelled(_ name: OccurrenceName) -> Bool { cancelled.contains(name) }

  /// Whether an occurrence is finished, cancelled, due or held.
  func isDone(_ name: OccurrenceName) -> Bool {
    settled.contains(name) || isCancelled(name) || isUnderWay(name)
  }

  /// Whether an occurrence was sent before its instant (rule V15).
  func isSaidAhead(_ name: OccurrenceName) -> Bool { saidAhead.contains(name) }

  /// Whether the recipient cancelled an occurrence.
  func isWithdrawn(_ name: OccurrenceName) -> Bool { withdrawn.contains(name) }

  /// Whether an occurrence is finished; for a calendar reminder, also whether a later one is.
  func isSettled(_ name: OccurrenceName, of reminder: Reminder) -> Bool {
    guard reminder.isRepeating else { return settled.contains(name) }
    return highestSettled[name.reminder].map { $0 >= name.key } ?? false
  }

  /// Returns whether an occurrence that is no longer due or held may have been sent. The outcomes
  /// of a calendar reminder's earlier dates and of requests are not remembered.
  func mayHaveSaid(_ name: OccurrenceName, of reminder: Reminder) -> Bool {
    if case .request = reminder.trigger { return true }
    if said.contains(name) { return true }
    guard reminder.isRepeating else { return isSaidAhead(name) }
    return highestSettled[name.reminder].map { $0 > name.key } ?? false
  }
}
