import GRDB
import Store

/// Checks that a database file is complete. SQLite itself checks only the file's size, and only if
/// there is no log. With a log, it reads a missing page as an empty one.
enum Completeness {
  /// - Throws: `damaged` if the file was truncated, or if counted rows are missing.
  /// - Complexity: reads a few pages; if the file is shorter than the database, also the head of
  ///   each page in the log.
  static func check(_ database: Database, file: String) throws {
    try checkPages(database, file: file)
    func number(_ sql: String) throws -> Int64 { try Int64.fetchOne(database, sql: sql) ?? 0 }
    func note(_ key: String) throws -> Int64 {
      try number("SELECT CAST(value AS INTEGER) FROM meta WHERE key = '\(key)'")
    }
    let counted = try note(StoreTransaction.completeIdentities)
    let last = try max(number("SELECT max(id) FROM event"), note("next event") - 1)
    guard last >= counted else {
      throw StoreError.damaged(
        file: file,
        reason: "events are missing: \(counted) were counted, the last one present is \(last)")
    }
    let recipients = try number("SELECT max(id) FROM recipient")
    guard try number("SELECT max(recipient) FROM schedule") == recipients else {
      throw StoreError.damaged(file: file, reason: "recipients or their schedules are missing")
    }
  }

  private static func checkPages(_ database: Database, file: String) throws {
    let pageSize = try Int64.fetchOne(database, sql: "PRAGMA page_size") ?? 4_096
    let pages = try Int64.fetchOne(database, sql: "PRAGMA page_count") ?? 0
    let size = try DatabaseFile(database).size()
    guard size < pages * pageSize else { return }
    // SQLite's locks are on the lock page, which is never written.
    let lockPage = 0x4000_0000 / pageSize + 1
    let pagesInLog = try LogPages.all(of: database, pageSize: pageSize)
    let first = size / pageSize + 1
    // If the log has fewer pages than the file lacks, the database is incomplete, and no page is
    // looked up.
    let isComplete =
      pages - first <= Int64(pagesInLog.count)
      && (first...pages).allSatisfy { $0 == lockPage || pagesInLog.contains($0) }
    guard isComplete else {
      throw StoreError.damaged(
        file: file,
        reason: "it was truncated: \(size) of \(pages * pageSize) bytes are left")
    }
  }
}

/// The pages in a database's write-ahead log (sqlite.org/fileformat2.html, "The Write-Ahead Log").
enum LogPages {
  /// Returns the numbers of the pages in the log, from 1.
  static func all(of database: Database, pageSize: Int64) throws -> Set<Int64> {
    guard let log = DatabaseFile(logOf: database) else { return [] }
    let size = try log.size()
    guard size >= 32 else { return [] }
    var head = [UInt8](repeating: 0, count: 32)
    try log.read(&head, at: 0)
    var pages: Set<Int64> = []
    var frame = [UInt8](repeating: 0, count: 24)
    var offset: Int64 = 32
    while offset + 24 + pageSize <= size {
      try log.read(&frame, at: offset)
      // Frames from before the last restart of the log have another salt.
      guard frame[8..<16] == head[16..<24] else { break }
      pages.insert(frame[..<4].reduce(0) { $0 << 8 | Int64($1) })
      offset += 24 + pageSize
    }
    return pages
  }
}
