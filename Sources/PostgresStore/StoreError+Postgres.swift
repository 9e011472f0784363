import Postgres
import Reminders
import Store

extension StoreError {
  /// - Parameter database: what it is called, for messages.
  init(_ error: any Error, database: String) {
    switch error {
    case let error as StoreError: self = error
    case let error as CodingFailure: self = .damaged(file: database, reason: "\(error)")
    case let error as UnreadableRow: self = .damaged(file: database, reason: "\(error)")
    case let error as PostgresError: self.init(error, database)
    default: self = .failed(reason: "\(error)")
    }
  }

  private init(_ error: PostgresError, _ database: String) {
    switch error {
    case .unreachable(let reason): self = .unreachable(database: database, reason: reason)
    case .unfit(let reason): self = .unusable(database: database, reason: reason)
    case .commitUnknown(let reason): self = .commitUnknown(reason: reason)
    case .refused(.duplicateSchema, _):
      self = .unusable(database: database, reason: "it has tables of chimed's already")
    // Somebody has dropped something of the store's, or restored half of it.
    case .refused(.undefinedTable, let reason), .refused(.undefinedColumn, let reason),
      .refused(.undefinedFunction, let reason):
      self = .damaged(file: database, reason: reason)
    // Its disk has no room: nothing was changed, and it may be asked again.
    case .refused(.diskFull, let reason): self = .full(reason: reason)
    case .refused(SQLState(Schema.fenced), let reason),
      .refused(SQLState(Schema.foreign), let reason):
      self = .notOwner(reason: reason)
    default: self = .failed(reason: "\(error)")
    }
  }
}

/// A row that means nothing to this version.
struct UnreadableRow: Error, CustomStringConvertible {
  let table: String
  let number: Int64

  init(_ table: String, _ number: Int64) {
    (self.table, self.number) = (table, number)
  }

  var description: String { "row \(number) of the table \(table) cannot be read" }
}

extension PostgresError {
  /// Whether the server, or the way to it, is not there at the moment: it shuts down or starts up,
  /// has no room for a connection, or its answer took too long.
  var isOfTheMoment: Bool {
    switch self {
    case .unreachable, .disconnected: true
    case .refused(let state, _): ["08", "53", "57"].contains(state.kind)
    default: false
    }
  }

  /// Whether the server gave up what was to be done because of what others did at the same time:
  /// another attempt may succeed.
  var isOfOthers: Bool {
    switch self {
    case .refused(.serializationFailure, _), .refused(.deadlock, _): true
    default: false
    }
  }

  /// Whether the server refused a row whose key another row has.
  var isOfTwoRows: Bool {
    guard case .refused(.uniqueViolation, _) = self else { return false }
    return true
  }
}
