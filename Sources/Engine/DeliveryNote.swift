package import CivilTime
package import Store

/// What there is to tell of deliveries and sinks (rule S3).
package enum DeliveryNote: Sendable {
  /// An attempt failed, and there is going to be another at an instant, by this sink or the next.
  case retried(Retry, until: Instant, reason: String)
  /// No sink and no channel is left to try.
  case dead(Retry, reason: String)
  case recovered(sink: String)
  /// So many were with a sink when the service ended without an answer.
  case orphaned(count: Int, sink: String)
}

/// What there is to tell of a turn: each, as long as they are not too many.
struct DeliveryNotes {
  private(set) var notes: [DeliveryNote] = []

  /// More are in the metrics alone.
  mutating func add(_ note: DeliveryNote) {
    if notes.count < Notes.individually { notes.append(note) }
  }
}
