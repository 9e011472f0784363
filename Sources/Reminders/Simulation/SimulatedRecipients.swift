import CivilTime

extension [SimulatedRecipient] {
  /// The number of recipients in a share, which one thread simulates at a time. It is large enough
  /// to limit overhead, and small enough to keep all cores busy until the end.
  private static let shareSize = 128

  /// Simulates recipients through all instants before `end`. Shares can run in parallel, because
  /// these recipients do not influence each other.
  ///
  /// - Parameter excluded: the indices of recipients who are simulated together.
  /// - Returns: the entries of each share.
  mutating func run(
    to end: Instant, planner: Planner, except excluded: Set<Int>, by loop: Simulation.Loop
  ) -> [[TimelineEntry]] {
    let shareCount = (count + Self.shareSize - 1) / Self.shareSize
    var entries = [[TimelineEntry]](repeating: [], count: shareCount)
    withUnsafeMutableBufferPointer { recipients in
      entries.withUnsafeMutableBufferPointer { entries in
        // Only one thread uses each share.
        nonisolated(unsafe) let (recipients, entries) = (recipients, entries)
        loop(shareCount) { share in
          let first = share * Self.shareSize
          for index in first..<Swift.min(first + Self.shareSize, recipients.count)
          where excluded.isEmpty || !excluded.contains(index) {
            recipients[index].run(to: end, planner: planner, entries: &entries[share])
          }
        }
      }
    }
    return entries
  }

  /// Returns the earliest of the instants that `instant` returns for the recipients, without
  /// copying a recipient.
  func earliest(_ instant: (borrowing SimulatedRecipient) -> Instant?) -> Instant? {
    indices.reduce(nil) { first, index in
      guard let next = instant(self[index]) else { return first }
      return first.map { Swift.min($0, next) } ?? next
    }
  }
}
