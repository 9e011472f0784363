/// The entries of one place, in a list of chunks of which only the first may have room.
struct Slot {
  var chunks: UnsafeMutablePointer<Chunk>?

  /// The earliest of the entries, live or stale.
  var soonest: Entry

  /// A slot whose `soonest` gives way to any entry.
  static var empty: Slot {
    Slot(chunks: nil, soonest: Entry(deadline: .max, index: 0))
  }
}
