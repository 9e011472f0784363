package import CivilTime

extension StoreTransaction {
  /// When the first delivery after a notification was decided; nil if there is none.
  ///
  /// - Complexity: one look at each notification between that was dropped.
  package func oldestDelivery(after notification: Int64) throws -> Instant? {
    statements.counts.oldestDelivery.bind(1, notification)
    return try statements.counts.oldestDelivery.first { Instant(milliseconds: $0.integer(0)) }
  }

  /// When the oldest delivery that a sink has in retry was decided.
  package func oldestRetry(of sink: String) throws -> Instant? {
    statements.counts.oldestRetry.bind(1, sink)
    return try statements.counts.oldestRetry.first { Instant(milliseconds: $0.integer(0)) }
  }

  package func deadLetterCount(of sink: String) throws -> Int {
    statements.counts.deadLetters.bind(1, sink)
    return try statements.counts.deadLetters.first { Int($0.integer(0)) } ?? 0
  }
}
