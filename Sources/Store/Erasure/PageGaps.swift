import GRDB
import GRDBSQLite

/// Zeroes what no page of a database uses.
///
/// `secure_delete` zeroes what is deleted, and pages that become free. But when rows are spread
/// over pages anew because they no longer fit, what stood where a page now has nothing stays there
/// until something else is written over it. SQLite's file format (sqlite.org/fileformat2.html,
/// "B-tree Pages") says where that is: between a page's list of cells and the first of them.
///
/// To be cut off does no harm, for nothing that is zeroed means anything.
struct PageGaps {
  private let file: DatabaseFile
  private let pageSize: Int
  /// How many pages the file has.
  let count: Int64

  init(in file: DatabaseFile) throws(StoreError) {
    self.file = file
    var head = [UInt8](repeating: 0, count: 100)
    try file.read(&head, at: 0)
    let size = Int(head[16]) << 8 | Int(head[17])
    pageSize = size == 1 ? 65_536 : max(512, size)
    count = try file.size() / Int64(pageSize)
  }

  /// - Parameter pages: by number, from 0; of what is beyond the file there is nothing to zero.
  /// - Complexity: a read for each; writes only where there is something to zero.
  func zero(_ pages: some Sequence<Int64>) throws(StoreError) {
    var page = [UInt8](repeating: 0, count: pageSize)
    for number in pages where number < count {
      let place = number * Int64(pageSize)
      try file.read(&page, at: place)
      guard let gap = Self.gap(page, isFirst: number == 0), page[gap].contains(where: { $0 != 0 })
      else { continue }
      let zeros = [UInt8](repeating: 0, count: gap.count)
      try file.write(zeros, at: place + Int64(gap.lowerBound))
    }
  }

  /// The unused bytes of a page of a b-tree; nil for any other page, whose first byte is one of a
  /// page's number and zero in every file of less than half a terabyte.
  private static func gap(_ page: [UInt8], isFirst: Bool) -> Range<Int>? {
    let head = isFirst ? 100 : 0
    let isLeaf = [0x0a, 0x0d].contains(page[head])
    guard isLeaf || [0x02, 0x05].contains(page[head]) else { return nil }
    func number(_ place: Int) -> Int { Int(page[head + place]) << 8 | Int(page[head + place + 1]) }
    let start = head + (isLeaf ? 8 : 12) + 2 * number(3)
    let end = number(5) == 0 ? 65_536 : number(5)
    return start < end && end <= page.count ? start..<end : nil
  }
}
