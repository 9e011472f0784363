import Store

/// Zeroes the unused bytes of a database's pages.
///
/// `secure_delete` zeroes deleted rows and freed pages. But when rows are redistributed over pages,
/// the old bytes stay in the gaps until something overwrites them. SQLite's file format
/// (sqlite.org/fileformat2.html, "B-tree Pages") puts the gap between a page's list of cells and
/// its first cell.
///
/// An interruption is harmless, because the zeroed bytes have no meaning.
struct PageGaps {
  private let file: DatabaseFile
  private let pageSize: Int
  /// The number of pages in the file.
  let count: Int64

  init(in file: DatabaseFile) throws(StoreError) {
    self.file = file
    var head = [UInt8](repeating: 0, count: 100)
    try file.read(&head, at: 0)
    let size = Int(head[16]) << 8 | Int(head[17])
    pageSize = size == 1 ? 65_536 : max(512, size)
    count = try file.size() / Int64(pageSize)
  }

  /// Zeroes the gaps of some pages.
  ///
  /// - Parameter pages: page numbers, from 0; numbers beyond the file are ignored.
  /// - Complexity: a read for each page; writes only gaps that are not zero.
  func zero(_ pages: some Sequence<Int64>) throws(StoreError) {
    var page = [UInt8](repeating: 0, count: pageSize)
    for number in pages where number < count {
      let offset = number * Int64(pageSize)
      try file.read(&page, at: offset)
      guard let gap = Self.gap(page, isFirst: number == 0), page[gap].contains(where: { $0 != 0 })
      else { continue }
      let zeros = [UInt8](repeating: 0, count: gap.count)
      try file.write(zeros, at: offset + Int64(gap.lowerBound))
    }
  }

  /// Returns the unused bytes of a b-tree page; nil for other pages.
  ///
  /// - Parameter isFirst: whether this is the first page, which begins with the file's header.
  ///
  /// Other pages begin with a page number. Its first byte can equal the first byte of a b-tree page
  /// only in files of 2^25 pages and more (128 GiB if a page has 4,096 bytes). In these files, the
  /// offsets of cells distinguish the two kinds of pages.
  static func gap(_ page: [UInt8], isFirst: Bool) -> Range<Int>? {
    let head = isFirst ? 100 : 0
    let isLeaf = [0x0a, 0x0d].contains(page[head])
    guard isLeaf || [0x02, 0x05].contains(page[head]) else { return nil }
    func number(at index: Int) -> Int { Int(page[index]) << 8 | Int(page[index + 1]) }
    let (cellCount, contentStart) = (number(at: head + 3), number(at: head + 5))
    let cells = head + (isLeaf ? 8 : 12)
    let start = cells + 2 * cellCount
    let end = contentStart == 0 ? 65_536 : contentStart
    guard start < end, end <= page.count else { return nil }
    let offsets = stride(from: cells, to: start, by: 2).map(number(at:))
    let isTree =
      offsets.isEmpty
      ? isLeaf && end == page.count : offsets.allSatisfy { end..<page.count ~= $0 }
    return isTree ? start..<end : nil
  }
}
