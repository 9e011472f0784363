package import CivilTime
import GRDB
import GRDBSQLite
package import Store

extension SQLiteStore {
  /// When the first was erased who may still be read in the files: in the log, or where a page has
  /// nothing now.
  package var erasureOpen: Instant? { statements.erasureOpen }

  /// What cleans the files, on this thread or another.
  package var cleaner: any StoreCleaner { FileCleaner(queue, statements, checkpointer) }

  /// Ends erasures (rule H4) in one go. To be cut off does no harm: the next start does it again.
  ///
  /// - Returns: whether it is done; false while another program reads the database or the disk is
  ///   full, and then it is to be tried again.
  /// - Throws: what failed, of the disk as a rule. Everything that was committed before stays so,
  ///   and the erasure stays open.
  /// - Complexity: reads the database once.
  package func finishErasure() throws(StoreError) -> Bool {
    let cleaner = cleaner
    do {
      while true {
        switch try cleaner.step() {
        case .more: continue
        case .busy:
          cleaner.abandon()
          return false
        case .done(let erasures):
          try endErasures(erasures)
          return !isErasureOpen
        }
      }
    } catch .full {
      cleaner.abandon()
      return false
    } catch .failed(let reason) {
      throw .failed(reason: "cleaning the files of who was erased: \(reason)")
    }
  }

  /// Notes that the files are clean, unless somebody has been erased since.
  ///
  /// - Parameter erasures: how many had been since the start, as the cleaner has told.
  package func endErasures(_ erasures: Int) throws(StoreError) {
    guard erasures == statements.erasures else { return }
    try transaction { try $0.saveNote(StoreTransaction.erasureNote, "") }
    statements.erasureOpen = nil
  }
}

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

/// The file of a database by SQLite's own handle on it. A descriptor of our own would not do: to
/// close it would give up every lock that the process has on the file.
struct DatabaseFile {
  private let handle: UnsafeMutablePointer<sqlite3_file>
  private let methods: sqlite3_io_methods

  init(_ database: Database) throws(StoreError) {
    guard let connection = database.sqliteConnection else {
      throw .failed(reason: "the database is closed")
    }
    try self.init(connection)
  }

  /// - Parameter connection: SQLite's.
  init(_ connection: OpaquePointer) throws(StoreError) {
    var handle: UnsafeMutablePointer<sqlite3_file>?
    let code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &handle)
    guard code == SQLITE_OK, let handle, let methods = handle.pointee.pMethods else {
      throw .failed(reason: "SQLite gives no access to its file")
    }
    self.handle = handle
    self.methods = methods.pointee
  }

  /// The file of a database's log; nil if it has none open.
  init?(logOf database: Database) {
    var handle: UnsafeMutablePointer<sqlite3_file>?
    sqlite3_file_control(
      database.sqliteConnection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &handle)
    guard let handle, let methods = handle.pointee.pMethods else { return nil }
    self.handle = handle
    self.methods = methods.pointee
  }

  /// In bytes.
  func size() throws(StoreError) -> Int64 {
    var size: sqlite3_int64 = 0
    try check("measure", methods.xFileSize?(handle, &size))
    return size
  }

  /// Fills the bytes with what stands at a place.
  func read(_ bytes: inout [UInt8], at place: Int64) throws(StoreError) {
    try check("read", methods.xRead?(handle, &bytes, Int32(bytes.count), place))
  }

  func write(_ bytes: [UInt8], at place: Int64) throws(StoreError) {
    try check("write", methods.xWrite?(handle, bytes, Int32(bytes.count), place))
  }

  func sync() throws(StoreError) {
    try check("sync", methods.xSync?(handle, SQLITE_SYNC_FULL))
  }

  private func check(_ deed: String, _ code: Int32?) throws(StoreError) {
    let code = code ?? SQLITE_MISUSE
    guard code != SQLITE_OK else { return }
    let reason = "cannot \(deed) the database's file: \(String(cString: sqlite3_errstr(code)))"
    throw code & 0xff == SQLITE_FULL ? .full(reason: reason) : .failed(reason: reason)
  }
}
