package import CivilTime
package import Reminders

/// What there is to tell of an occurrence (rule S3): no title, no body, no address.
package struct Note: Sendable {
  package enum Kind: Sendable {
    case delivered
    /// It goes out as part of a digest.
    case bundled
    case held(until: Instant)
    case dropped
  }

  package var kind: Kind
  package var recipient: String
  package var reminder: String
  package var channels: ChannelSet
  package var notification: String?
  package var reasons: [String]
  package var planned: Instant
  /// How many occurrences in a row it is about; more than one only of missed ones.
  package var runLength = 1
}

/// What there is to tell of a turn: each occurrence, or of a herd only how many.
package struct Notes: Sendable {
  /// As many are told one by one; journald takes some ten thousand entries a second, and with more
  /// it would drop what matters with the rest.
  package static let individually = 200

  package private(set) var notes: [Note] = []
  package private(set) var delivered = 0
  package private(set) var bundled = 0
  package private(set) var held = 0
  package private(set) var dropped = 0

  package init() {}

  package var count: Int { delivered + bundled + held + dropped }

  /// Whether there are too many to tell one by one.
  package var isHerd: Bool { count > Self.individually }

  /// - Parameter note: made only if it is told.
  mutating func add(_ kind: Note.Kind, _ note: () -> Note) {
    switch kind {
    case .delivered: delivered += 1
    case .bundled: bundled += 1
    case .held: held += 1
    case .dropped: dropped += 1
    }
    if count <= Self.individually { notes.append(note()) }
  }
}
