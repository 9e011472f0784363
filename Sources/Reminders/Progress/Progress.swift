package import CivilTime

/// The progress of a recipient's reminders: which occurrences are finished, and which are in
/// progress.
///
/// Facts and progress determine everything pending. Occurrences planned after `cutoff` follow from
/// the facts alone; of the earlier ones, only those in progress are open.
package struct Progress: Hashable, Sendable {
  /// Everything planned up to this instant is finished, in progress, or was switched off when it
  /// was due.
  package var cutoff: Instant
  /// The latest finished occurrence of each reminder, sorted by reminder. For a reminder with
  /// several entities it has the latest few, beginning with the last finished one.
  package var finished: [Finished] = []
  /// The occurrences that wait for a gate or for the end of a snooze, in the order in which they
  /// are due.
  package internal(set) var inProgress: [InProgress] = []
  /// Occurrences that the recipient cancelled before their instant, or that were sent before it
  /// (rule V15).
  package var cancelled: [Cancelled] = []
  /// The instants of recent deliveries that count towards minimum interval and cap (rule V5),
  /// ascending.
  package internal(set) var recent: [Instant] = []
  /// The batches that may still grow, or have occurrences in progress (rule N2). Sorted by reminder
  /// and subject, and within a subject in the order of opening.
  package internal(set) var batches: [Batch] = []

  package init(cutoff: Instant) {
    self.cutoff = cutoff
  }

  package struct Finished: Hashable, Sendable {
    package var reminder: Symbol
    package var key: Int64
    /// The message last sent, so that the next one differs (rule I6).
    package var message: UInt8
    /// Whether it was sent in any channel group, or replaced by a repetition; false if it was only
    /// dropped.
    package var isSent = false
  }

  /// An occurrence in progress: its planned instant has come, but it is not finished.
  package struct InProgress: Hashable, Sendable {
    package var reminder: Symbol
    package var key: Int64
    package var channelGroup: ChannelGroup
    /// The instant from which gates and expiry count: its own, or the end of a snooze.
    package var planned: Instant
    /// The instant of the next evaluation of its gates.
    package var due: Instant
    /// The gates that have held it so far.
    package var holds: GateTrace
    /// Its own planned instant, if a snooze has moved it (rule N7).
    package var origin: Instant?
    /// Distinguishes the sendings of one occurrence: 0 for the first, or the arrival order of the
    /// snooze that repeats it after it was delivered.
    package var round: Int64 = 0
    /// The index of the message that was sent in another channel group (rule I6).
    package var message: UInt8?
    /// Whether only minimum interval or cap makes it wait (rule V5).
    package var isWaiting = false
    /// The latest local date whose cap held it. On a later date it waits for the start of the
    /// recipient's day (rule V9).
    package var cappedOn: LocalDate?
    /// Whether the recipient's zone has changed since it was held: the end of the hold stays (rule
    /// V11).
    package var isMoved = false
    /// The start of its subject (rule V10).
    package var deadline: Instant?
    /// The span by which its expiry is extended: by a vacation, up to `expiryPauseEnd` (rule V4),
    /// or to that of an occurrence it replaces (rule T14).
    package var expiryPause = TimeSpan.zero
    package var expiryPauseEnd: Instant?

    /// Its own planned instant, without any snooze.
    var ownInstant: Instant { origin ?? planned }

    package var isSnoozed: Bool { origin != nil }

    /// Whether it is fired before its own instant (rule V15).
    package func isForward(at now: Instant) -> Bool { planned > now && deadline != nil }

    /// Stops its expiry while a vacation holds it.
    ///
    /// - Parameters:
    ///   - instant: when the vacation began to hold it, or changed.
    ///   - release: when the vacation releases it; nil if none holds it.
    mutating func pauseExpiry(from instant: Instant, until release: Instant?) {
      if let expiryPauseEnd, instant < expiryPauseEnd {
        expiryPause = expiryPause - (expiryPauseEnd - instant)
      }
      expiryPauseEnd = release
      if let release { expiryPause = expiryPause + (release - instant) }
    }
  }

  /// An occurrence that is not planned, although the facts yield it, or a snoozed digest.
  package struct Cancelled: Hashable, Sendable {
    /// Raw values are stored: never renumber.
    package enum Cause: UInt8, Sendable {
      /// The recipient cancelled it.
      case occurrence = 0
      /// It was in progress when the recipient cancelled its series.
      case series = 1
      /// It was sent before its instant (rule V15).
      case sent = 2
      /// It is a digest that was snoozed as a whole, so that its members are pending (rule N8).
      case snoozed = 3
    }

    package var reminder: Symbol
    package var key: Int64
    /// The planned instant: its own, or the end of a snooze.
    package var planned: Instant
    package var cause = Cause.occurrence
    /// See `InProgress`.
    package var origin: Instant?
    package var round: Int64 = 0
  }

  package func finished(_ reminder: Symbol) -> Finished? {
    finished.first { $0.reminder == reminder }
  }

  package func isInProgress(_ reminder: Symbol, key: Int64) -> Bool {
    Work.count(inProgress.count)
    return inProgress.contains { $0.reminder == reminder && $0.key == key }
  }

  /// Whether a snooze has replaced a delivery's round by one that is still to come or cancelled, or
  /// has replaced a digest (rule N8).
  package func isReplaced(_ delivery: Delivery) -> Bool {
    func isLater(_ reminder: Symbol, _ key: Int64, _ round: Int64) -> Bool {
      round > delivery.round && key == delivery.key && reminder == delivery.occurrenceName
    }
    return inProgress.contains { isLater($0.reminder, $0.key, $0.round) }
      || cancelled.contains { isLater($0.reminder, $0.key, $0.round) }
  }

  /// Records that an occurrence is finished.
  ///
  /// - Parameters:
  ///   - message: the index of the sent message; nil keeps the previous one.
  ///   - isSent: whether it counts as sent without a message.
  ///   - isPlural: whether earlier ones of the reminder are kept as well; see `forgetFinished`.
  package mutating func settle(
    _ reminder: Symbol, key: Int64, message: UInt8?, isSent: Bool = false, isPlural: Bool = false
  ) {
    let index = finished.firstIndex { $0.reminder >= reminder } ?? finished.endIndex
    let isKnown = index < finished.endIndex && finished[index].reminder == reminder
    let isSent = isSent || message != nil || hasSent(reminder, key: key)
    let message = message ?? (isKnown ? finished[index].message : .max)
    let new = Finished(reminder: reminder, key: key, message: message, isSent: isSent)
    guard isKnown, isPlural else {
      if isKnown { finished[index] = new } else { finished.insert(new, at: index) }
      return
    }
    // A restored occurrence may finish again.
    finished.removeAll { $0.reminder == reminder && $0.key == key }
    finished.insert(new, at: index)
  }

  /// Whether an occurrence was sent or replaced by a repetition, as far as that is remembered.
  func hasSent(_ reminder: Symbol, key: Int64) -> Bool {
    finished.contains { $0.reminder == reminder && $0.key == key && $0.isSent }
  }

  /// The number of finished occurrences of a reminder with several entities that are kept beside
  /// those of remembered entities. A change of zone may make the latest few pending again.
  package static let keptMax = 32

  /// The reminders with more finished occurrences than are kept.
  var crowdedReminders: [Symbol] {
    guard finished.count > Self.keptMax else { return [] }
    let counts = finished.reduce(into: [:]) { $0[$1.reminder, default: 0] += 1 }
    return counts.filter { $0.value > Self.keptMax }.map(\.key)
  }

  /// Removes the finished occurrences of a reminder beyond the latest few, except those of known
  /// entities.
  mutating func forgetFinished(of reminder: Symbol, except known: Set<Int64>) {
    var count = 0
    finished.removeAll { entry in
      guard entry.reminder == reminder else { return false }
      count += 1
      return count > Self.keptMax && !known.contains(entry.key)
    }
  }
}

/// The channels of an occurrence that are gated together. The inbox is a separate group because it
/// never interrupts (rule V3). Raw values are stored: never renumber them.
package enum ChannelGroup: UInt8, CaseIterable, Sendable {
  case interrupting = 0
  case inapp = 1
  /// The interrupting channels without e-mail, for a recipient with collected e-mail.
  case prompt = 2
  /// E-mail that waits for the recipient's daily or weekly collection.
  case collected = 3

  /// The groups of an occurrence whose e-mail is sent at once. `apart` has those of an occurrence
  /// whose e-mail is collected.
  static let together: [ChannelGroup] = [.interrupting, .inapp]
  static let apart: [ChannelGroup] = [.prompt, .collected, .inapp]

  /// A number that distinguishes the groups of one occurrence.
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
  /// A local day is over after this span, whatever the recipient's zones.
  private static let memory = TimeSpan.days(3)
  /// The highest possible cap.
  private static let countMax = 1_000

  /// Counts a delivery towards the minimum interval and the daily cap.
  package mutating func count(delivery instant: Instant) {
    let oldest = instant - Self.memory
    recent.removeFirst(recent.prefix { $0 < oldest }.count)
    if recent.count >= Self.countMax { recent.removeFirst() }
    let index = recent.lastIndex { $0 <= instant }.map { $0 + 1 } ?? 0
    recent.insert(instant, at: index)
  }

  /// Removes deliveries that a clock recorded while it was ahead. They would hold everything until
  /// their instants have passed.
  mutating func forgetRecent(after now: Instant) {
    recent.removeAll { $0 > now }
  }

  func isCancelled(_ reminder: Symbol, key: Int64) -> Bool {
    !cancelled.isEmpty && cancelled.contains { $0.reminder == reminder && $0.key == key }
  }
}

extension Progress {
  /// Adds entries after those due no later, and keeps the order.
  mutating func enqueue(_ entries: [InProgress]) {
    guard let first = entries.first else { return }
    let isInOrder = inProgress.last.map { $0.due <= first.due } ?? true
    inProgress += entries
    if !isInOrder || entries.count > 1 { sortByDue() }
  }

  /// Sorts the entries. Sorted entries cost one comparison each.
  mutating func sortByDue() {
    let isInOrder = zip(inProgress, inProgress.dropFirst()).allSatisfy { $0.due <= $1.due }
    if !isInOrder { inProgress.sort { $0.due < $1.due } }
  }

  /// Makes an entry due at an instant, unless it is due earlier.
  mutating func reopen(_ occurrence: OccurrenceInGroup, at instant: Instant) {
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
