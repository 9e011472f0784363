/// Zeroes what no page of a database uses.
///
/// `secure_delete` zeroes what is deleted, and pages that become free. But when rows are spread
/// over pages anew because they no longer fit, what stood where a page now has nothing stays there
/// until something else is written over it. SQLite's file format (sqlite.org/fileformat2.html,
/// "B-tree Pages") says where that is: between a page's list of cells and the first of them.
enum PageGaps {
  /// - Parameter file: of a database whose log is empty and of which no page is kept elsewhere.
  /// - Complexity: reads the file once; writes only where there is something to zero. To be cut
  ///   off does no harm, for nothing that is zeroed means anything.
  static func zero(in file: DatabaseFile) throws(StoreError) {
    var head = [UInt8](repeating: 0, count: 100)
    try file.read(&head, at: 0)
    let size = pageSize(head)
    var page = [UInt8](repeating: 0, count: size)
    let end = try file.size()
    var place: Int64 = 0
    while place + Int64(size) <= end {
      try file.read(&page, at: place)
      if let gap = gap(page, isFirst: place == 0), page[gap].contains(where: { $0 != 0 }) {
        let zeros = [UInt8](repeating: 0, count: gap.count)
        try file.write(zeros, at: place + Int64(gap.lowerBound))
      }
      place += Int64(size)
    }
    try file.sync()
  }

  private static func pageSize(_ head: [UInt8]) -> Int {
    let size = Int(head[16]) << 8 | Int(head[17])
    return size == 1 ? 65_536 : max(512, size)
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
