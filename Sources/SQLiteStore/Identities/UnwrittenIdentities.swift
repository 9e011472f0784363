/// The identities of the latest events, which are not all in the table on disk yet.
///
/// An identity is a hash, so nearly every identity belongs to a different page of the table. If
/// each transaction wrote its identities, a thousand events would change a thousand pages. So
/// identities gather in memory until there are many: a generation. Then each transaction with
/// events writes a piece of that generation, in the order of the table, while the next generation
/// gathers. The transaction that writes the last piece also writes a note: the event up to which
/// the table is complete. After a crash, the identities of later events are computed again from the
/// table of events.
final class UnwrittenIdentities {
  /// The sizes that determine how often identities are written, and how many at once.
  struct Pace {
    /// The number of identities in a generation. At most two generations are in memory, with 32
    /// bytes for each identity. After a crash, computing them again takes a few tenths of a second.
    var generation = 65_536
    /// The minimum number of identities to write at once. With fewer, nearly each would change a
    /// page of its own.
    var piece = 128
  }

  /// The identities that one transaction writes.
  struct Piece {
    let entries: [IdentityTable.Entry]
    /// The event up to which the table is complete after this piece. Nil, except for the last piece
    /// of a generation.
    let completeThrough: Int64?
    /// The first bucket after the piece.
    fileprivate let end: Int
  }

  private let pace: Pace
  /// The identities of the generation that gathers.
  private var gathering = IdentityTable()
  /// The generation that is being written; nil if there is none.
  private var writing: IdentityTable?
  /// The last event of the generation that is being written.
  private var writingThrough: Int64 = 0
  /// The first bucket of `writing` that is not written yet.
  private var nextBucket = 0
  /// The number of events since the last piece was written.
  private var eventsSincePiece = 0
  /// The first event that the current transaction has added; nil if it has added none.
  private var firstAdded: Int64?
  /// The piece that the current transaction writes; nil if it writes none.
  private var piece: Piece?
  /// Whether to write the gathering identities although they are few. Pruning needs this: it
  /// removes old events only when the table is complete (rule H7).
  var isNeeded = false
  /// The event up to which the table on disk is complete.
  private(set) var completeThrough: Int64

  init(completeThrough: Int64, pace: Pace) {
    self.completeThrough = completeThrough
    self.pace = pace
  }

  /// The row of the event in a slot; nil if no unwritten identity has the slot.
  subscript(slot: Int64) -> Int64? { gathering[slot] ?? writing?[slot] }

  /// Reserves capacity for more identities.
  func reserve(_ more: Int) { gathering.reserve(more) }

  /// Adds the identity of an event in this transaction.
  func add(slot: Int64, row: Int64) {
    gathering.insert(slot: slot, row: row)
    firstAdded = firstAdded ?? row
    eventsSincePiece += 1
  }

  /// Returns the piece to write with this transaction; nil if none is due. A piece contains more
  /// identities than events were added since the previous piece. So a generation is written before
  /// the next one is full.
  ///
  /// - Parameters:
  ///   - isAll: whether to write the rest of the generation.
  ///   - least: the minimum number of identities to write.
  func nextPiece(all isAll: Bool, least: Int = 0) -> Piece? {
    guard let writing else { return nil }
    let relativeSize = max(1, Double(writing.count) / Double(pace.generation))
    let count = isAll ? Int.max : max(least, Int(1.25 * relativeSize * Double(eventsSincePiece)))
    guard count >= (least > 0 ? 1 : pace.piece) else { return nil }
    let (entries, end) = writing.entries(from: nextBucket, count: count)
    let isLast = end == writing.bucketCount
    piece = Piece(entries: entries, completeThrough: isLast ? writingThrough : nil, end: end)
    return piece
  }

  /// Confirms the identities that were added, and the piece that was written: both are durable now.
  ///
  /// - Parameter row: the last event in the store.
  func confirmAdded(lastEvent row: Int64) {
    firstAdded = nil
    if let piece {
      nextBucket = piece.end
      eventsSincePiece = 0
      if let complete = piece.completeThrough {
        completeThrough = complete
        writing = nil
        isNeeded = false
      }
    }
    piece = nil
    if writing == nil, gathering.count >= (isNeeded ? 1 : pace.generation) {
      startWriting(through: row)
    }
  }

  /// Discards the changes of the current transaction.
  func rollBack() {
    if let firstAdded { gathering.removeAll(from: firstAdded) }
    firstAdded = nil
    piece = nil
  }

  /// Makes the gathering generation the one that is being written.
  ///
  /// - Parameter row: the last event of the generation.
  private func startWriting(through row: Int64) {
    writing = gathering
    writingThrough = row
    nextBucket = 0
    eventsSincePiece = 0
    gathering = IdentityTable()
  }
}
