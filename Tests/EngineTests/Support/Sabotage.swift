import GRDB
import TestSupport

/// A step at which a store fails, as if its disk had failed.
enum Sabotage: String, CaseIterable {
  /// Events cannot be ingested.
  case intake = "INSERT ON event"
  /// Files cannot be cleaned after an erasure is committed.
  case cleaning = "INSERT ON meta WHEN NEW.key = 'erasure' AND NEW.value = ''"
  /// No other plan can be adopted.
  case adoption = "INSERT ON meta WHEN NEW.key = 'plan'"
  /// No retry can be dispatched.
  case dispatch = "UPDATE ON retry"

  /// Makes the store in a directory fail at this step until `end` is called. A service may be using
  /// the store.
  func begin(in directory: TemporaryDirectory) throws {
    try Self.execute(
      "CREATE TRIGGER sabotage BEFORE \(rawValue) BEGIN SELECT RAISE(ABORT, 'no'); END",
      in: directory)
  }

  static func end(in directory: TemporaryDirectory) throws {
    try execute("DROP TRIGGER sabotage", in: directory)
  }

  private static func execute(_ statement: String, in directory: TemporaryDirectory) throws {
    let queue = try DatabaseQueue(path: directory.path + "/chimed.sqlite")
    try queue.write { try $0.execute(sql: statement) }
    try queue.close()
  }
}
