package import CivilTime

/// The result for a due occurrence in one channel group, after its gates have been evaluated.
package struct Firing: Hashable, Sendable {
  package enum Result: Hashable, Sendable {
    case finished(Outcome)
    case held(until: Instant)
  }

  /// The reminder of the occurrence; `Digest.symbol` for a digest.
  package var reminder: Symbol
  /// The key of the occurrence, which is unique within its reminder; `Digest.key` for a digest.
  package var key: Int64
  /// The round of the occurrence: 0 for the first one. Otherwise the arrival number of the event
  /// after which the occurrence is sent again, such as a snooze.
  package var round: Int64 = 0
  package var channelGroup: ChannelGroup
  /// The planned instant or the end of a snooze; for a digest, the earliest such instant of its
  /// members.
  package var planned: Instant
  /// The instant at which the gates were evaluated.
  package var at: Instant
  /// The last instant at which the occurrence is worth delivering (rule T7).
  package var expiry: Instant
  package var result: Result
  /// The findings of all gates so far, including those of earlier evaluations.
  package var trace: GateTrace
  /// The channels on which the notification is sent, or would be sent if no gate stopped it.
  package var channels: ChannelSet
  /// Whether the notification makes no sound (rule V3).
  package var isSilent = false
  /// The recipient's settings for sound, vibration, badge and preview.
  package var hints: Hints = []
  /// The index of the text among the reminder's messages; 0 for a digest.
  package var message: UInt8
  /// The data of the occurrence that the text contains.
  package var subject = Subject()
  /// The members of a digest, the most urgent first; empty for other firings.
  package var members: [Member] = []
  /// Whether the occurrence is sent in another channel group as well.
  package var hasOtherGroups = false
  /// The key of the earlier occurrence that opened the batch (occurrences that are sent as one
  /// notification); nil if there is none.
  package var opener: Int64?
  /// The reminders whose earlier notifications about the same entity are replaced by this
  /// notification.
  package var replaced: [Symbol] = []
  /// Whether the gates were evaluated for the first time: no gate held the occurrence before, and
  /// it is not a digest.
  package var isFirstEvaluation = true
  /// The occurrence whose reservation makes this one wait (rule V12).
  package var waitsFor: CapReservations.Beneficiary?

  /// The instant at which views show the firing (rule L1).
  package var shownAt: Instant {
    guard case .finished(let outcome) = result else { return at }
    return outcome.instant(planned: planned, decided: at)
  }

  /// An occurrence that is sent as part of a digest.
  package struct Member: Hashable, Sendable {
    package var reminder: Symbol
    package var key: Int64
    package var channelGroup: ChannelGroup
    /// The index of the text among the reminder's messages.
    package var message: UInt8
    package var subject: Subject
  }
}

/// A function that is called for each firing of an occurrence, with the gates' input and the
/// firing.
package typealias GateObserver = (GateInput, Firing) -> Void

/// The identity of an occurrence in one channel group.
struct OccurrenceInGroup: Hashable {
  var reminder: Symbol
  var key: Int64
  /// The `ChannelGroup.number` of the channel group.
  var channelGroupNumber: UInt8

  init(_ reminder: Symbol, _ key: Int64, _ channelGroup: ChannelGroup) {
    (self.reminder, self.key, channelGroupNumber) = (reminder, key, channelGroup.number)
  }

  init(_ pending: Pending) {
    (reminder, key, channelGroupNumber) = (
      pending.reminder, pending.key, pending.channelGroup.number
    )
  }

  init(_ firing: Firing) {
    (reminder, key, channelGroupNumber) = (firing.reminder, firing.key, firing.channelGroup.number)
  }

  init(_ entry: Progress.InProgress) {
    (reminder, key, channelGroupNumber) = (entry.reminder, entry.key, entry.channelGroup.number)
  }

  init(_ past: PastNotification) {
    (reminder, key, channelGroupNumber) = (past.reminder, past.key, past.channelGroup.number)
  }

  init(_ member: Firing.Member) {
    (reminder, key, channelGroupNumber) = (member.reminder, member.key, member.channelGroup.number)
  }
}

/// A digest: several notifications that are sent as one (rule V6).
package enum Digest {
  /// The name of digests among reminders.
  package static let identifier = "digest"
  /// The symbol of digests, for use in place of a reminder's symbol.
  package static let symbol = Symbol(identifier)

  /// Returns a digest's key. A recipient has at most one digest on each channel at an instant.
  package static func key(at instant: Instant, _ channels: ChannelSet) -> Int64 {
    instant.milliseconds << 4 | Int64(channels.rawValue & 0xf)
  }
}
