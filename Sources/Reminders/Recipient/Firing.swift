package import CivilTime

/// What came of an occurrence, on one of its ways out, when its instant had come.
package struct Firing: Hashable, Sendable {
  package enum Result: Hashable, Sendable {
    case settled(Outcome)
    case held(until: Instant)
  }

  package var reminder: Symbol
  package var key: Int64
  /// Which sending of the occurrence it is; see `Progress.UnderWay`.
  package var round: Int64 = 0
  package var channelGroup: ChannelGroup
  package var planned: Instant
  package var at: Instant
  /// The last instant at which it is worth delivering (rule T7).
  package var expiry: Instant
  package var result: Result
  package var trace: GateTrace
  package var channels: ChannelSet
  /// Whether it is to make no sound (rule V3).
  package var isSilent = false
  /// How the person wants it shown where it pops up.
  package var hints: Hints = []
  /// The index of the reminder's message, and the subject of its text.
  package var message: UInt8
  package var subject = Subject()
  /// What a digest is made of, the most urgent first; empty for anything else.
  package var members: [Member] = []
  /// Whether the occurrence is told of on the other way out as well.
  package var isPaired = false
  /// The occurrence that opened the batch that it goes on with; nil if it stands for itself.
  package var opener: Int64?
  /// The reminders that have nothing to say of its thing any more, whatever they have said.
  package var replaced: [Symbol] = []
  /// Whether no gate was asked about it before: it was not held, and it is no digest.
  package var isFirst = true
  /// The occurrence whose kept slot this one waits for (rule V5).
  package var waitsFor: KeptSlots.Beneficiary?

  /// The instant at which views of what is to come show it (rule L1).
  package var shownAt: Instant {
    guard case .settled(let outcome) = result else { return at }
    return outcome.instant(planned: planned, decided: at)
  }

  /// An occurrence that goes out as part of a digest.
  package struct Member: Hashable, Sendable {
    package var reminder: Symbol
    package var key: Int64
    package var channelGroup: ChannelGroup
    package var message: UInt8
    package var subject: Subject
  }
}

/// Is told, each time it is an occurrence's turn, what the gates were asked with and what came of
/// it.
package typealias GateObserver = (GateInput, Firing) -> Void

/// One way out of one occurrence.
struct OccurrencePlace: Hashable {
  var reminder: Symbol
  var key: Int64
  /// That of its channel group.
  var place: UInt8

  init(_ reminder: Symbol, _ key: Int64, _ channelGroup: ChannelGroup) {
    (self.reminder, self.key, place) = (reminder, key, channelGroup.place)
  }

  init(_ pending: Pending) {
    (reminder, key, place) = (pending.reminder, pending.key, pending.channelGroup.place)
  }

  init(_ firing: Firing) {
    (reminder, key, place) = (firing.reminder, firing.key, firing.channelGroup.place)
  }

  init(_ entry: Progress.UnderWay) {
    (reminder, key, place) = (entry.reminder, entry.key, entry.channelGroup.place)
  }

  init(_ past: PastNotification) {
    (reminder, key, place) = (past.reminder, past.key, past.channelGroup.place)
  }

  init(_ member: Firing.Member) {
    (reminder, key, place) = (member.reminder, member.key, member.channelGroup.place)
  }
}

/// Several notifications that go out as one (rule V6).
package enum Digest {
  /// What a digest is called where reminders are named.
  package static let identifier = "digest"
  package static let symbol = Symbol(identifier)

  /// A recipient has at most one digest on each channel at an instant.
  package static func key(at instant: Instant, _ channels: ChannelSet) -> Int64 {
    instant.milliseconds << 4 | Int64(channels.rawValue & 0xf)
  }
}
