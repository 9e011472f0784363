import Store
import TestSupport
import Testing

@testable import SQLiteStore

/// The table in memory, compared with a dictionary.
@Suite struct IdentityTableTests {
  @Test(arguments: Seeds.all) func `inserted slots are found, and no others`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var table = IdentityTable()
    var rows: [Int64: Int64] = [:]
    for row in 1...5_000 {
      let slot = Self.slot(&random)
      guard rows[slot] == nil else { continue }
      rows[slot] = Int64(row)
      table.insert(slot: slot, row: Int64(row))
    }
    #expect(table.count == rows.count)
    for (slot, row) in rows { #expect(table[slot] == row) }
    for _ in 1...5_000 {
      let slot = Self.slot(&random)
      #expect(table[slot] == rows[slot])
    }
  }

  @Test(arguments: Seeds.all) func `the pieces contain every entry once and in order`(seed: UInt64)
  {
    var random = SplitMix64(seed: seed)
    var table = IdentityTable()
    for row in 1...3_000 {
      let slot = Self.slot(&random)
      if table[slot] == nil { table.insert(slot: slot, row: Int64(row)) }
    }
    var entries: [IdentityTable.Entry] = []
    var index = 0
    while index < table.bucketCount {
      let piece = table.entries(from: index, count: Int.random(in: 1...100, using: &random))
      #expect(piece.end > index)
      #expect(piece.entries.map(\.slot) == piece.entries.map(\.slot).sorted())
      entries += piece.entries
      index = piece.end
    }
    #expect(entries.count == table.count)
    #expect(Set(entries).count == table.count)
    #expect(entries.allSatisfy { table[$0.slot] == $0.row })
  }

  @Test(arguments: Seeds.all) func `removing the rows from 1,500 on leaves the earlier rows`(
    seed: UInt64
  ) {
    var random = SplitMix64(seed: seed)
    var table = IdentityTable()
    var rows: [Int64: Int64] = [:]
    for row in 1...2_000 {
      let slot = Self.slot(&random)
      guard rows[slot] == nil else { continue }
      rows[slot] = Int64(row)
      table.insert(slot: slot, row: Int64(row))
    }
    table.removeAll(from: 1_500)
    for (slot, row) in rows { #expect(table[slot] == (row < 1_500 ? row : nil)) }
    #expect(table.count == rows.values.count { $0 < 1_500 })
  }

  /// Returns a random slot. Half of the slots are near the lowest or the highest value. There,
  /// entries collide, and the first bucket follows the last.
  private static func slot(_ random: inout SplitMix64) -> Int64 {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: Int64.max - Int64.random(in: 0..<1_000, using: &random)
    case 1: Int64.min + Int64.random(in: 0..<1_000, using: &random)
    default: Int64.random(in: .min ... .max, using: &random)
    }
  }
}
