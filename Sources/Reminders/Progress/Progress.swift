package import CivilTime

/// How far a recipient's reminders have come: what has been settled, and what is under way.
///
/// With the facts it determines everything pending. Occurrences planned after `cutoff` follow from
/// the facts alone; of the earlier ones only those under way are still open.
package struct Progress: Hashable, Sendable {
  /// Everything planned up to here is settled, under way, or was switched off at its time.
  package var cutoff: Instant
  /// The latest settled occurrence of each reminder, sorted by reminder; of one with several things
  /// to speak of, the latest few, the last one first.
  package var settled: [Settled] = []
  /// What waits for a gate to open or for a snooze to end, in the order in which it is due.
  package internal(set) var underWay: [UnderWay] = []
  /// Occurrences that the person cancelled before their time, or that were said before it (rule
  /// V10).
  package var cancelled: [Cancelled] = []
  /// When something was lately delivered that counts towards interval and cap (rule V5),
  /// ascending.
  package internal(set) var recent: [Instant] = []
  /// The batches that may still grow, or of which something is under way (rule N2); sorted by
  /// reminder and subject, those of one subject in the order in which they were opened.
  package internal(set) var batches: [Batch] = []

  package init(cutoff: Instant) {
    self.cutoff = cutoff
  }

  package struct Settled: Hashable, Sendable {
    package var reminder: Symbol
    package var key: Int64
    /// The message last sent, so that the next one differs (rule I6).
    package var message: UInt8
    /// Whether it was said on any way out, or a repetition took its place; not for what was only
    /// dropped.
    package var isSaid = false
  }

  /// An occurrence that has reached its planned instant but is not settled.
  package struct UnderWay: Hashable, Sendable {
    package var reminder: Symbol
    package var key: Int64
    package var channelGroup: ChannelGroup
    /// The instant from which its gates and its expiry count: its own, or the end of a snooze.
    package var planned: Instant
    /// When its gates are applied next.
    package var due: Instant
    /// The gates that have held it so far.
    package var holds: GateTrace
    /// Its own planned instant, if a snooze has moved it (rule N4).
    package var origin: Instant?
    /// Which sending of the occurrence it is: 0, or the place in the order of arrival of the snooze
    /// that brought it back after it had been delivered.
    package var round: Int64 = 0
    /// The message that it has said on another way out (rule I6).
    package var message: UInt8?
    /// Whether it waits for nothing but a slot (rule V5).
    package var isWaiting = false
    /// The latest local date whose cap has held it: on a later date it does not go before the start
    /// of the person's day (rule V9).
    package var cappedOn: LocalDate?
    /// Whether the person has changed their zone since it was held: the hold keeps its end (rule
    /// V11).
    package var isMoved = false
    /// What it is about begins then (rule V10).
    package var deadline: Instant?
    /// For how long its expiry stands still, and until when that is counted (rule V4).
    package var stood = TimeSpan.zero
    package var thaw: Instant?

    /// Its own planned instant, whatever a snooze has made of it.
    var ownInstant: Instant { origin ?? planned }

    package var isSnoozed: Bool { origin != nil }

    /// Whether it comes before its own time (rule V10).
    package func isForward(at now: Instant) -> Bool { planned > now && deadline != nil }

    /// Lets its expiry stand still while a vacation holds it.
    ///
    /// - Parameters:
    ///   - instant: when the vacation began to hold it, or changed.
    ///   - release: when the vacation lets it go; nil if none holds it.
    mutating func standStill(from instant: Instant, until release: Instant?) {
      if let thaw, instant < thaw { stood = stood - (thaw - instant) }
      thaw = release
      if let release { stood = stood + (release - instant) }
    }
  }

  /// An occurrence that is not planned, though its facts would have it.
  package struct Cancelled: Hashable, Sendable {
    /// Raw values are stored: never renumber.
    package enum Cause: UInt8, Sendable {
      /// The person has cancelled it.
      case occurrence = 0
      /// It was under way when the person cancelled its series.
      case series = 1
      /// It was said before its time (rule V10).
      case said = 2
    }

    package var reminder: Symbol
    package var key: Int64
    /// The instant for which it was planned: its own, or the end of a snooze.
    package var planned: Instant
    package var cause = Cause.occurrence
    /// See `UnderWay`.
    package var origin: Instant?
    package var round: Int64 = 0
  }

  package func settled(_ reminder: Symbol) -> Settled? {
    settled.first { $0.reminder == reminder }
  }

  package func isUnderWay(_ reminder: Symbol, key: Int64) -> Bool {
    Work.count(underWay.count)
    return underWay.contains { $0.reminder == reminder && $0.key == key }
  }

  /// Notes that an occurrence is done with, whatever came of it.
  ///
  /// - Parameters:
  ///   - message: the message that went out; nil keeps the one before in mind.
  ///   - isSaid: whether it counts as said without a message.
  ///   - isPlural: whether earlier ones of the reminder are kept as well; see `forgetSettled`.
  package mutating func settle(
    _ reminder: Symbol, key: Int64, message: UInt8?, isSaid: Bool = false, isPlural: Bool = false
  ) {
    let index = settled.firstIndex { $0.reminder >= reminder } ?? settled.endIndex
    let isKnown = index < settled.endIndex && settled[index].reminder == reminder
    let isSaid = isSaid || message != nil || hasSaid(reminder, key: key)
    let message = message ?? (isKnown ? settled[index].message : .max)
    let new = Settled(reminder: reminder, key: key, message: message, isSaid: isSaid)
    guard isKnown, isPlural else {
      if isKnown { settled[index] = new } else { settled.insert(new, at: index) }
      return
    }
    // What was brought back has its turn again.
    settled.removeAll { $0.reminder == reminder && $0.key == key }
    settled.insert(new, at: index)
  }

  /// Whether an occurrence was sent, or a repetition took its place, as far as that is remembered.
  func hasSaid(_ reminder: Symbol, key: Int64) -> Bool {
    settled.contains { $0.reminder == reminder && $0.key == key && $0.isSaid }
  }

  /// How many settled occurrences of a reminder with several entities are kept beside those of
  /// entities that the facts remember: a change of zone moves the latest few back before their
  /// turn.
  package static let keptMax = 32

  /// The reminders of which more settled occurrences are kept than need be.
  var crowdedReminders: [Symbol] {
    guard settled.count > Self.keptMax else { return [] }
    let counts = settled.reduce(into: [:]) { $0[$1.reminder, default: 0] += 1 }
    return counts.filter { $0.value > Self.keptMax }.map(\.key)
  }

  /// Forgets the settled occurrences of a reminder beyond the latest few that are no entity's any
  /// more.
  mutating func forgetSettled(of reminder: Symbol, except known: Set<Int64>) {
    var count = 0
    settled.removeAll { entry in
      guard entry.reminder == reminder else { return false }
      count += 1
      return count > Self.keptMax && !known.contains(entry.key)
    }
  }
}

/// The ways out of an occurrence, which are gated apart: what appears in the app disturbs nobody
/// (rule V3). Raw values are stored: never renumber.
package enum ChannelGroup: UInt8, CaseIterable, Sendable {
  case interrupting = 0
  case inapp = 1
  /// What interrupts but for e-mail, of a person whose e-mail waits for a collection.
  case prompt = 2
  /// E-mail that waits for the person's daily or weekly collection.
  case collected = 3

  /// The ways out of an occurrence whose e-mail goes out with the rest, and of one whose does not.
  static let together: [ChannelGroup] = [.interrupting, .inapp]
  static let apart: [ChannelGroup] = [.prompt, .collected, .inapp]

  /// Of those with the same number an occurrence has only one.
  package var place: UInt8 { self == .prompt ? ChannelGroup.interrupting.rawValue : rawValue }

  package var isInterrupting: Bool { self != .inapp }

  /// The channels that belong to it.
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
  /// A local day is over after this, wherever the person travels meanwhile.
  private static let memory = TimeSpan.days(3)
  /// As high as a cap may be.
  private static let countMax = 1_000

  /// Notes a delivery that counts towards the minimum interval and the daily cap.
  package mutating func count(delivery instant: Instant) {
    let oldest = instant - Self.memory
    recent.removeFirst(recent.prefix { $0 < oldest }.count)
    if recent.count >= Self.countMax { recent.removeFirst() }
    let index = recent.lastIndex { $0 <= instant }.map { $0 + 1 } ?? 0
    recent.insert(instant, at: index)
  }

  /// Forgets what a clock that ran ahead has counted: it would hold back everything until then.
  mutating func forgetRecent(after now: Instant) {
    recent.removeAll { $0 > now }
  }

  func isCancelled(_ reminder: Symbol, key: Int64) -> Bool {
    !cancelled.isEmpty && cancelled.contains { $0.reminder == reminder && $0.key == key }
  }
}

extension Progress {
  /// Puts occurrences under way, behind those that are due no later.
  mutating func enqueue(_ entries: [UnderWay]) {
    guard let first = entries.first else { return }
    let isInOrder = underWay.last.map { $0.due <= first.due } ?? true
    underWay += entries
    if !isInOrder || entries.count > 1 { sortByDue() }
  }

  /// What is in order already costs one look at each.
  mutating func sortByDue() {
    let isInOrder = zip(underWay, underWay.dropFirst()).allSatisfy { $0.due <= $1.due }
    if !isInOrder { underWay.sort { $0.due < $1.due } }
  }

  /// Makes one way out of an occurrence due at an instant, unless it is due earlier.
  mutating func reopen(_ place: OccurrencePlace, at instant: Instant) {
    for index in underWay.indices
    where OccurrencePlace(underWay[index], key: underWay[index].key) == place {
      underWay[index].due = min(underWay[index].due, instant)
    }
    sortByDue()
  }

  /// Takes out what is due by an instant.
  mutating func takeDue(by now: Instant) -> [UnderWay] {
    let due = Array(underWay.prefix { $0.due <= now })
    Work.count(due.count + 1)
    underWay.removeFirst(due.count)
    return due
  }
}
