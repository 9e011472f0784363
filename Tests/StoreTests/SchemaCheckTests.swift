import Store
import TestSupport
import Testing

@testable import SQLiteStore

/// A backup whose schema was forged is not restored, although SQLite would load it.
@Suite struct SchemaCheckTests {
  private let source: TemporaryDirectory
  private let target: TemporaryDirectory

  init() throws {
    (source, target) = (try TemporaryDirectory(), try TemporaryDirectory())
    try SQLiteStore(directory: source.path).shutDown()
  }

  /// - Parameter change: statements that change `sqlite_schema`.
  /// - Returns: the error of restoring the changed backup.
  private func restorationError(_ change: String) throws -> String {
    try tamper(source, "PRAGMA writable_schema = ON; \(change); PRAGMA writable_schema = RESET")
    let error = #expect(throws: StoreError.self) {
      try SQLiteStore.restore(
        source.path + "/chimed.sqlite", to: target.path + "/state", isReplacing: false)
    }
    return error?.description ?? ""
  }

  @Test(arguments: [
    ("trigger", "CREATE TRIGGER forged AFTER INSERT ON event BEGIN DELETE FROM event; END"),
    ("view", "CREATE VIEW forged AS SELECT name FROM recipient"),
    ("index", "CREATE UNIQUE INDEX forged ON event (type)"),
  ])
  func `S7: a forged object with a name like SQLite's own is found`(
    kind: String, creation: String
  ) throws {
    let error = try restorationError(
      """
      \(creation);
      UPDATE sqlite_schema SET name = 'sqlite_forged',
        tbl_name = replace(tbl_name, 'forged', 'sqlite_forged'),
        sql = replace(sql, 'forged', 'sqlite_forged')
      WHERE name = 'forged'
      """)
    #expect(error.contains("it has the \(kind) sqlite_forged"), "\(error)")
  }

  @Test func `S7: a column that a comment with CR and LF seems to hide is found`() throws {
    let error = try restorationError(
      """
      UPDATE sqlite_schema SET sql =
        replace(sql, 'the hour.', 'the hour.' || char(13, 10) || 'other INTEGER, --')
      WHERE name = 'token'
      """)
    #expect(error.contains("its table token is not as chimed makes it"), "\(error)")
  }
}
