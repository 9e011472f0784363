/// Of which of 64 sorts some symbols are: one look at two numbers tells that they have none in
/// common. Sketches that have a sort in common may still have no symbol in common.
struct SymbolSketch: Sendable {
  private var sorts: UInt64 = 0

  init() {}

  init(_ symbols: some Sequence<Symbol>) {
    for symbol in symbols { insert(symbol) }
  }

  /// Has every symbol.
  static let all: Self = {
    var all = Self()
    all.sorts = .max
    return all
  }()

  mutating func insert(_ symbol: Symbol) {
    sorts |= 1 << UInt64(symbol.code & 63)
  }

  func mayMeet(_ other: Self) -> Bool { sorts & other.sorts != 0 }
}
