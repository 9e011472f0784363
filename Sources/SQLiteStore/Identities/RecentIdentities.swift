/// The identities of the latest events, which are not all in their table on disk yet.
///
/// An identity is a hash, so each belongs to another page of its table, and a thousand events would
/// make every page of it new. The events themselves are a log: after a crash their identities are
/// read from it again. So they gather here until there are many, and are then written in the order
/// of the table, some with each transaction that brings events, while the next ones gather. When
/// all of a generation are written, a note in the same transaction says up to which event the table
/// is complete.
final class RecentIdentities {
  struct Pace {
    /// How many gather before they are written. Two generations are in memory at the most, of 32
    /// bytes an identity, and read again after a crash, which takes a few tenths of a second.
    var generation = 65_536
    /// Fewer are not worth a page of their own each.
    var piece = 128
  }

  /// What a transaction writes.
  struct Piece {
    let entries: [IdentityTable.Entry]
    /// The event up to which the table is complete then; nil while there is more to write.
    let completeThrough: Int64?
    fileprivate let end: Int
  }

  private let pace: Pace
  private var gathering = IdentityTable()
  private var leaving: IdentityTable?
  /// The last event that leaves.
  private var lastLeaving: Int64 = 0
  /// The places of those that leave up to which they are in the table.
  private var written = 0
  /// How many events came since something was last written.
  private var arrived = 0
  /// What the transaction has done.
  private var firstAdded: Int64?
  private var piece: Piece?
  /// Whether those that gather are to be written, though they are few: what is old can be taken out
  /// of the table only when it is complete (rule H7).
  var isNeeded = false
  /// The event up to which the table on disk is complete.
  private(set) var completeThrough: Int64

  init(completeThrough: Int64, pace: Pace) {
    self.completeThrough = completeThrough
    self.pace = pace
  }

  subscript(slot: Int64) -> Int64? { gathering[slot] ?? leaving?[slot] }

  /// Makes room for so many more at once.
  func reserve(_ more: Int) { gathering.reserve(more) }

  func add(slot: Int64, row: Int64) {
    gathering.insert(slot: slot, row: row)
    firstAdded = firstAdded ?? row
    arrived += 1
  }

  /// What is to be written with the transaction, if anything: a generation has left before the next
  /// one is complete.
  ///
  /// - Parameters:
  ///   - isAll: whether that is the whole generation.
  ///   - least: how many are written in any case.
  func nextPiece(all isAll: Bool, least: Int = 0) -> Piece? {
    guard let leaving else { return nil }
    let share = max(1, Double(leaving.count) / Double(pace.generation))
    let due = isAll ? Int.max : max(least, Int(1.25 * share * Double(arrived)))
    guard due >= (least > 0 ? 1 : pace.piece) else { return nil }
    let (entries, end) = leaving.entries(from: written, count: due)
    let isLast = end == leaving.placeCount
    piece = Piece(entries: entries, completeThrough: isLast ? lastLeaving : nil, end: end)
    return piece
  }

  /// The transaction is on disk.
  ///
  /// - Parameter row: the last event that there is.
  func settle(through row: Int64) {
    firstAdded = nil
    if let piece {
      written = piece.end
      arrived = 0
      if let complete = piece.completeThrough {
        completeThrough = complete
        leaving = nil
        isNeeded = false
      }
    }
    piece = nil
    if leaving == nil, gathering.count >= (isNeeded ? 1 : pace.generation) { leave(through: row) }
  }

  /// The transaction has not happened.
  func rollBack() {
    if let firstAdded { gathering.removeAll(from: firstAdded) }
    firstAdded = nil
    piece = nil
  }

  private func leave(through row: Int64) {
    leaving = gathering
    lastLeaving = row
    written = 0
    arrived = 0
    gathering = IdentityTable()
  }
}
