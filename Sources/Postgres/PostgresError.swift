/// An error of a connection to a PostgreSQL server.
package enum PostgresError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A connection could not be opened.
  case unreachable(reason: String)
  /// The connection is open, but chimed cannot use the server or its settings.
  case unfit(reason: String)
  /// The server refused a statement; the transaction has to be rolled back.
  case refused(SQLState, reason: String)
  /// The connection was lost; the server rolls the open transaction back.
  case disconnected(reason: String)
  /// The connection was lost during a COMMIT, which may or may not have been executed.
  case commitUnknown(reason: String)
  /// A result has another type or form than expected.
  case malformed(reason: String)

  /// The reason for `unfit` if a pooler is detected.
  package static let pooler =
    "a pooler such as PgBouncer is between chimed and the server, but chimed needs sessions of "
    + "its own for its locks: give the address of the server itself"

  package var description: String {
    switch self {
    case .unreachable(let reason): "PostgreSQL cannot be reached: \(reason)"
    case .unfit(let reason): "PostgreSQL cannot be used: \(reason)"
    case .refused(let state, let reason):
      "PostgreSQL refused a statement: \(reason) (SQLSTATE \(state))"
    case .disconnected(let reason): "the connection to PostgreSQL was lost: \(reason)"
    case .commitUnknown(let reason):
      "the connection to PostgreSQL was lost during a COMMIT: \(reason)"
    case .malformed(let reason): "PostgreSQL's answer is not as expected: \(reason)"
    }
  }
}

/// An SQLSTATE: a code of five characters for a condition (PostgreSQL's manual, appendix A).
package struct SQLState: Hashable, Sendable, CustomStringConvertible {
  package let description: String

  package init(_ code: String) {
    description = code
  }

  /// Whether the code shows that the server's prepared statements are not those of this connection.
  /// The cause is a pooler, which has assigned another session to the connection.
  var isOfAnotherSession: Bool { description == "42P05" || description == "26000" }

  /// The class of the condition: the first two characters.
  package var kind: String { String(description.prefix(2)) }

  package static let diskFull = SQLState("53100")
  package static let uniqueViolation = SQLState("23505")
  package static let serializationFailure = SQLState("40001")
  package static let deadlock = SQLState("40P01")
  package static let lockNotAvailable = SQLState("55P03")
  package static let undefinedTable = SQLState("42P01")
  package static let undefinedColumn = SQLState("42703")
  package static let undefinedFunction = SQLState("42883")
  package static let duplicateSchema = SQLState("42P06")
  package static let undefinedSchema = SQLState("3F000")
}
