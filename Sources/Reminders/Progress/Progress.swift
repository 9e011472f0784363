package import CivilTime

/// The progress of a recipient's reminders: which occurrences are finished, and which are in
/// progress.
///
/// Facts and progress determine all pending occurrences. The occurrences planned after `cutoff`
/// follow from the facts alone. An occurrence planned earlier is pending only if it is in progress.
package struct Progress: Hashable, Sendable {
  /// The instant up to which every planned occurrence is finished, in progress, or was switched off
  /// when it was due.
  package var cutoff: Instant
  /// The latest finished occurrence of each reminder, sorted by reminder. For a reminder with
  /// several entities, several of the latest are listed, beginning with the last finished one.
  package var finished: [Finished] = []
  /// The occurrences that wait for a gate or for the end of a snooze, in the order in which they
  /// are due.
  package internal(set) var inProgress: [InProgress] = []
  /// Occurrences that the recipient cancelled, or that were sent before their planned instants
  /// (rule V15), and digests that were snoozed.
  package var cancelled: [Cancelled] = []
  /// The instants of the latest deliveries that count towards minimum interval and cap (rule V5),
  /// ascending.
  package internal(set) var countedDeliveries: [Instant] = []
  /// The recent deliveries that count towards caps of the operator (rule V20), ascending.
  package internal(set) var capped: [CapCountedDelivery] = []
  /// The batches that may still grow, or have occurrences in progress. A batch combines several
  /// occurrences into one notification (rule N2). Batches are sorted by reminder, then by subject,
  /// then in the order of opening.
  package internal(set) var batches: [Batch] = []

  package init(cutoff: Instant) {
    self.cutoff = cutoff
  }

  package struct Finished: Hashable, Sendable {
    package var reminder: Symbol
    /// The key of the occurrence. If a higher key of its series (the dates for one entity) has
    /// finished, it is that key.
    package var key: Int64
    /// The index of the message that was sent last, so that the next message differs (rule I6);
    /// `UInt8.max` if none was sent.
    package var message: UInt8
    /// Whether the occurrence was sent in any channel group, or replaced by a repetition; false if
    /// it was only dropped.
    package var isSent = false
    /// The local time of a picked occurrence; nil for other occurrences. Later picks of the same
    /// date keep their distance from it (rule G25).
    package var pickedTime: LocalTime?
  }

  /// An occurrence in one channel group that has become due, was snoozed or was resumed, and is not
  /// finished in this group.
  package struct InProgress: Hashable, Sendable {
    package var reminder: Symbol
    package var key: Int64
    package var channelGroup: ChannelGroup
    /// The instant from which gates and expiry count: the planned instant, or the end of a snooze.
    package var planned: Instant
    /// The instant of the next evaluation of the gates.
    package var due: Instant
    /// The gates that have held the occurrence so far.
    package var holds: GateTrace
    /// The planned instant without any snooze; nil if the occurrence is not snoozed (rule N7).
    package var originalInstant: Instant?
    /// The number of the occurrence's current round. A snooze of the delivered occurrence begins
    /// another round, and the round's number is the snooze's order of arrival. The first round has
    /// the number 0.
    package var round: Int64 = 0
    /// The index of the message that was sent in another channel group (rule I6).
    package var message: UInt8?
    /// Whether only minimum interval or cap makes the occurrence wait (rule V5).
    package var isWaiting = false
    /// The latest local date whose cap held the occurrence. On a later date the occurrence waits
    /// for the start of the recipient's day (rule V9).
    package var cappedOn: LocalDate?
    /// Whether the recipient's zone has changed while gates held the occurrence. The hold keeps its
    /// end despite the change (rule V11).
    package var wasHeldInFormerZone = false
    /// The instant that the occurrence announces, such as the start of an appointment (rule V10);
    /// nil if there is none.
    package var deadline: Instant?
    /// The span by which the expiry is extended. A vacation extends it (rule V4). A replaced
    /// occurrence extends it to its own expiry (rule T14).
    package var expiryPause = TimeSpan.zero
    /// The instant up to which `expiryPause` counts: the end of the hold by the current vacation,
    /// or of the last such hold. It is nil if no vacation has held the occurrence.
    package var expiryPauseEnd: Instant?

    /// The planned instant without any snooze.
    var unsnoozedInstant: Instant { originalInstant ?? planned }

    package var isSnoozed: Bool { originalInstant != nil }

    /// Returns whether the occurrence is fired before its planned instant (rule V15).
    package func isEarly(at now: Instant) -> Bool { planned > now && deadline != nil }

    /// Extends the expiry by the time for which a vacation holds the occurrence.
    ///
    /// - Parameters:
    ///   - instant: the instant at which the vacation began to hold the occurrence, or changed.
    ///   - release: the instant at which the vacation releases the occurrence; nil if no vacation
    ///     holds it.
    mutating func pauseExpiry(from instant: Instant, until release: Instant?) {
      if let expiryPauseEnd, instant < expiryPauseEnd {
        expiryPause = expiryPause - (expiryPauseEnd - instant)
      }
      expiryPauseEnd = release ?? expiryPauseEnd.map { min($0, instant) }
      if let release { expiryPause = expiryPause + (release - instant) }
    }
  }

  /// An occurrence that is not planned although it follows from the facts, or a snoozed digest.
  package struct Cancelled: Hashable, Sendable {
    /// Raw values are stored: never renumber.
    package enum Cause: UInt8, Sendable {
      /// The recipient cancelled the occurrence.
      case occurrence = 0
      /// The occurrence was in progress when the recipient cancelled its series.
      case series = 1
      /// The occurrence was sent before its planned instant (rule V15).
      case sent = 2
      /// The entry is a digest that was snoozed as a whole, so that its members are pending (rule
      /// N8).
      case snoozed = 3
    }

    package var reminder: Symbol
    package var key: Int64
    /// The planned instant, or the end of a snooze.
    package var planned: Instant
    package var cause = Cause.occurrence
    /// The planned instant without any snooze; nil if the occurrence was not snoozed.
    package var originalInstant: Instant?
    /// The number of the occurrence's round when it was cancelled; for a snoozed digest, the first
    /// round after the snoozed one.
    package var round: Int64 = 0
  }

  /// Returns the latest finished occurrence of a reminder; nil if none is remembered.
  package func finished(_ reminder: Symbol) -> Finished? {
    finished.first { $0.reminder == reminder }
  }

  package func isInProgress(_ reminder: Symbol, key: Int64) -> Bool {
    Work.count(inProgress.count)
    return inProgress.contains { $0.reminder == reminder && $0.key == key }
  }

  /// Returns whether a snooze has replaced a delivery's round (rule N8). The next round is in
  /// progress or cancelled; a replaced digest has a cancelled entry.
  package func isReplaced(_ delivery: Delivery) -> Bool {
    func isLaterRound(_ reminder: Symbol, _ key: Int64, _ round: Int64) -> Bool {
      round > delivery.round && key == delivery.key && reminder == delivery.occurrenceName
    }
    return inProgress.contains { isLaterRound($0.reminder, $0.key, $0.round) }
      || cancelled.contains { isLaterRound($0.reminder, $0.key, $0.round) }
  }

  /// Records that an occurrence is finished.
  ///
  /// - Parameters:
  ///   - message: the index of the sent message; nil keeps the previous one.
  ///   - isSent: whether the occurrence counts as sent even without a message.
  ///   - pickedTime: the local time of a picked occurrence; nil for others.
  ///   - replaced: the earlier records that the new one replaces. Others stay, up to the limit in
  ///     `forgetFinished`.
  package mutating func finish(
    _ reminder: Symbol, key: Int64, message: UInt8?, isSent: Bool = false,
    pickedTime: LocalTime? = nil, replacing replaced: ReplacedRecords = .ofReminder
  ) {
    let index = finished.firstIndex { $0.reminder >= reminder } ?? finished.endIndex
    let isKnown = index < finished.endIndex && finished[index].reminder == reminder
    let isSent = isSent || message != nil || hasSent(reminder, key: key)
    let message = message ?? (isKnown ? finished[index].message : .max)
    // An occurrence that is recorded again keeps its picked time.
    let latestTime = isKnown && finished[index].key == key ? finished[index].pickedTime : nil
    let new = Finished(
      reminder: reminder, key: key, message: message, isSent: isSent,
      pickedTime: latestTime ?? pickedTime)
    switch replaced {
    case .ofReminder where isKnown: finished[index] = new
    case .ofReminder: finished.insert(new, at: index)
    case .ofSeries:
      let series = PlanKey.series(of: key)
      finished.removeAll { $0.reminder == reminder && PlanKey.series(of: $0.key) == series }
      finished.insert(new, at: index)
    case .ofOccurrence:
      // The occurrence may have finished before, if it was then resumed or snoozed.
      if isKnown { finished.removeAll { $0.reminder == reminder && $0.key == key } }
      finished.insert(new, at: index)
    }
  }

  /// The records of finished occurrences that a further one replaces.
  package enum ReplacedRecords: Sendable {
    /// All records of the reminder: only its latest finished occurrence is known.
    case ofReminder
    /// The records of the occurrence's series: of each series the latest is known.
    case ofSeries
    /// The record of the same occurrence.
    case ofOccurrence
  }

  /// Returns the latest finished occurrence of a reminder's series.
  ///
  /// - Parameters:
  ///   - symbol: the reminder, or the one that it repeats.
  ///   - key: the key of any occurrence of the series.
  func finished(_ symbol: Symbol, inSeriesOf key: Int64, of reminder: Reminder) -> Finished? {
    finished.first { $0.reminder == symbol && reminder.hasOneSeries($0.key, key) }
  }

  /// Returns whether an occurrence was sent or replaced by a repetition, as far as that is
  /// remembered.
  func hasSent(_ reminder: Symbol, key: Int64) -> Bool {
    finished.contains { $0.reminder == reminder && $0.key == key && $0.isSent }
  }

  /// The number of latest finished occurrences that are remembered for a reminder with several
  /// entities. Older ones are remembered only for known entities. If none were remembered, a change
  /// of zone might make the latest occurrences pending again.
  package static let finishedMax = 32

  /// The reminders with more than `finishedMax` finished occurrences.
  var overfullReminders: [Symbol] {
    guard finished.count > Self.finishedMax else { return [] }
    let counts = finished.reduce(into: [:]) { $0[$1.reminder, default: 0] += 1 }
    return counts.filter { $0.value > Self.finishedMax }.map(\.key)
  }

  /// Removes the finished occurrences of a reminder except the latest `finishedMax` and the
  /// occurrences of known entities.
  mutating func forgetFinished(of reminder: Symbol, except known: Set<Int64>) {
    var count = 0
    finished.removeAll { entry in
      guard entry.reminder == reminder else { return false }
      count += 1
      return count > Self.finishedMax && !known.contains(entry.key)
    }
  }
}

/// The channels of an occurrence that the gates decide about together. The inbox is a separate
/// group because it never interrupts (rule V3). Raw values are stored: never renumber them.
package enum ChannelGroup: UInt8, CaseIterable, Sendable {
  /// Push, e-mail and SMS, for a recipient whose e-mail is sent at once.
  case interrupting = 0
  /// The inbox.
  case inapp = 1
  /// The interrupting channels without e-mail, for a recipient with collected e-mail.
  case prompt = 2
  /// E-mail that waits for the recipient's daily or weekly collection.
  case collected = 3

  /// The channel groups of an occurrence whose e-mail is sent at once.
  static let withPromptEmail: [ChannelGroup] = [.interrupting, .inapp]
  /// The channel groups of an occurrence whose e-mail is collected.
  static let withCollectedEmail: [ChannelGroup] = [.prompt, .collected, .inapp]

  /// A number that distinguishes the groups of one occurrence. It stays the same when the recipient
  /// begins or ends the collection of e-mail.
  package var number: UInt8 { self == .prompt ? ChannelGroup.interrupting.rawValue : rawValue }

  package var isInterrupting: Bool { self != .inapp }

  package var channels: ChannelSet {
    switch self {
    case .interrupting: [ChannelSet(.push), ChannelSet(.email), ChannelSet(.sms)]
    case .inapp: ChannelSet(.inapp)
    case .prompt: [ChannelSet(.push), ChannelSet(.sms)]
    case .collected: ChannelSet(.email)
    }
  }
}

extension Progress {
  /// The time for which deliveries are remembered. A local day is over after this time, whatever
  /// zones the recipient had.
  private static let recentSpan = TimeSpan.days(3)
  /// The maximum number of remembered deliveries: the highest possible cap.
  private static let recentMax = 1_000

  /// Counts a delivery towards the minimum interval and the daily cap.
  package mutating func count(delivery instant: Instant) {
    let oldest = instant - Self.recentSpan
    countedDeliveries.removeFirst(countedDeliveries.prefix { $0 < oldest }.count)
    if countedDeliveries.count >= Self.recentMax { countedDeliveries.removeFirst() }
    let index = countedDeliveries.lastIndex { $0 <= instant }.map { $0 + 1 } ?? 0
    countedDeliveries.insert(instant, at: index)
  }

  /// Removes deliveries that were recorded while the clock was ahead. Otherwise these would hold
  /// all occurrences until the deliveries' instants have passed.
  mutating func forgetRecent(after now: Instant) {
    countedDeliveries.removeAll { $0 > now }
    capped.removeAll { $0.at > now }
  }

  func isCancelled(_ reminder: Symbol, key: Int64) -> Bool {
    !cancelled.isEmpty && cancelled.contains { $0.reminder == reminder && $0.key == key }
  }
}

extension Progress {
  /// Adds entries in the order of `due`. New entries follow existing entries that are due at the
  /// same instant.
  mutating func enqueue(_ entries: [InProgress]) {
    guard let first = entries.first else { return }
    let isInOrder = inProgress.last.map { $0.due <= first.due } ?? true
    inProgress += entries
    if !isInOrder || entries.count > 1 { sortByDue() }
  }

  /// Sorts the entries by `due`. If the entries are already sorted, each costs one comparison.
  mutating func sortByDue() {
    let isInOrder = zip(inProgress, inProgress.dropFirst()).allSatisfy { $0.due <= $1.due }
    if !isInOrder { inProgress.sort { $0.due < $1.due } }
  }

  /// Makes an entry due at an instant, unless it is due earlier.
  mutating func makeDue(_ occurrence: OccurrenceInGroup, at instant: Instant) {
    for index in inProgress.indices
    where OccurrenceInGroup(inProgress[index], key: inProgress[index].key) == occurrence {
      inProgress[index].due = min(inProgress[index].due, instant)
    }
    sortByDue()
  }

  /// Removes and returns the entries due by an instant.
  mutating func takeDue(by now: Instant) -> [InProgress] {
    let due = Array(inProgress.prefix { $0.due <= now })
    Work.count(due.count + 1)
    inProgress.removeFirst(due.count)
    return due
  }
}
