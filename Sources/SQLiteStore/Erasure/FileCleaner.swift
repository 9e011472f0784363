import GRDB
import GRDBSQLite
import Store

/// Cleans a store's files of erased data (rule H4), in steps of less than a millisecond between
/// which the engine commits.
///
/// The cleaner zeroes unused bytes of pages directly in the database file. A page that is written
/// meanwhile may bring old bytes back. So during cleaning only the cleaner moves SQLite's
/// write-ahead log into the file, and it records the moved pages. It cleans the moved pages again
/// until they are few enough for one final step, which also empties the log.
///
/// It uses the writing connection, one step at a time. Only one thread may use a cleaner.
final class FileCleaner: StoreCleaner, @unchecked Sendable {
  private enum Stage {
    /// Empties the log, and pauses the checkpointer.
    case beginning
    /// Cleans all pages of the file, continuing with `next`.
    case allPages(next: Int64)
    /// Cleans the given pages, which were moved into the file meanwhile.
    case movedPages(ArraySlice<Int64>)
    /// Cleans the remaining moved pages, and empties the log.
    case ending
  }

  /// The maximum number of pages that a step cleans.
  private static let pagesMax: Int64 = 64
  /// The number of steps between two checks of the log's size.
  private static let stepsPerLogCheck = 256
  private let queue: DatabaseQueue
  private let statements: Statements
  private let checkpointer: Checkpointer
  private var stage = Stage.beginning
  /// The number of steps since the start, for checks of the log's size.
  private var stepCount = 0
  /// The pages that were moved from the log into the file since they were last cleaned.
  private var movedPages: Set<Int64> = []

  init(_ queue: DatabaseQueue, _ statements: Statements, _ checkpointer: Checkpointer) {
    self.queue = queue
    self.statements = statements
    self.checkpointer = checkpointer
  }

  package func step() throws(StoreError) -> CleaningStep {
    do {
      return try queue.writeWithoutTransaction { try step($0) }
    } catch {
      throw StoreError(error, file: "the database")
    }
  }

  /// Stops without a result; the next cleaning starts from the beginning.
  package func abandon() {
    queue.writeWithoutTransaction { _ in reset() }
  }

  private func step(_ database: Database) throws -> CleaningStep {
    try shortenLog(of: database)
    switch stage {
    case .beginning:
      guard checkpointer.isIdle, try emptyLog(of: database) else { return .busy }
      checkpointer.pause()
      movedPages = []
      stage = .allPages(next: 0)
      return .more
    case .allPages(let next):
      let gaps = try PageGaps(in: DatabaseFile(database))
      let end = min(next + Self.pagesMax, gaps.count)
      try gaps.zero(next..<end)
      stage = end == gaps.count ? .ending : .allPages(next: end)
      return .more
    case .movedPages(let pages):
      try PageGaps(in: DatabaseFile(database)).zero(pages.prefix(Int(Self.pagesMax)))
      let rest = pages.dropFirst(Int(Self.pagesMax))
      stage = rest.isEmpty ? .ending : .movedPages(rest)
      return .more
    case .ending: return try finish(database)
    }
  }

  private func finish(_ database: Database) throws -> CleaningStep {
    let pages = try movedPages.union(Self.pagesInLog(of: database)).sorted()
    guard try emptyLog(of: database) else { return .busy }
    movedPages = []
    guard pages.count <= Self.pagesMax else {
      stage = .movedPages(pages[...])
      return .more
    }
    let file = try DatabaseFile(database)
    try PageGaps(in: file).zero(pages)
    try file.sync()
    reset()
    return .done(erasures: statements.erasures)
  }

  private func reset() {
    stage = .beginning
    checkpointer.resume()
  }

  // MARK: - The log

  /// Empties the log. It does not wait for readers, because commits would wait too.
  ///
  /// - Returns: false if a reader uses the log. If true, the log is empty, and no cached page can
  ///   be written later with old bytes in its unused parts.
  private func emptyLog(of database: Database) throws -> Bool {
    sqlite3_busy_timeout(database.sqliteConnection, 0)
    defer { sqlite3_busy_timeout(database.sqliteConnection, SQLiteStore.lockTimeout) }
    do {
      try checkpointer.move(.truncate, on: database)
    } catch let error as DatabaseError where error.isBusy {
      return false
    }
    sqlite3_db_release_memory(database.sqliteConnection)
    return true
  }

  /// Moves the log into the file if the log is long. The checkpointer is paused and does not move
  /// it.
  private func shortenLog(of database: Database) throws {
    if case .beginning = stage { return }
    stepCount += 1
    guard stepCount.isMultiple(of: Self.stepsPerLogCheck) else { return }
    guard let log = DatabaseFile(logOf: database), try log.size() > checkpointer.size / 4 else {
      return
    }
    movedPages.formUnion(try Self.pagesInLog(of: database))
    try checkpointer.move(.passive, on: database)
  }

  /// Returns the numbers of the pages in the log, from 0.
  private static func pagesInLog(of database: Database) throws -> Set<Int64> {
    let pageSize = try Int64.fetchOne(database, sql: "PRAGMA page_size") ?? 4_096
    // The log counts pages from 1.
    return Set(try LogPages.all(of: database, pageSize: pageSize).map { $0 - 1 })
  }
}

extension DatabaseError {
  /// Whether another connection has locked the database.
  var isBusy: Bool { [.SQLITE_BUSY, .SQLITE_LOCKED].contains(resultCode) }
}
