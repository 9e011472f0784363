import GRDB
import TestSupport

/// A store that fails at one step of what it is asked to do, as if its disk did.
enum Sabotage: String, CaseIterable {
  /// Nothing more is taken in.
  case intake = "INSERT ON event"
  /// The files cannot be cleaned of who was erased, after that was committed.
  case cleaning = "INSERT ON meta WHEN NEW.key = 'erasure' AND NEW.value = ''"
  /// No other plan is taken into use.
  case adoption = "INSERT ON meta WHEN NEW.key = 'plan'"
  /// No retry is handed over.
  case dispatch = "UPDATE ON retry"

  /// Makes the store in a directory fail from now on, while a service has it open.
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
