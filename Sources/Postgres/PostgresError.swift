/// What went wrong between us and a server.
package enum PostgresError: Error, Hashable, Sendable, CustomStringConvertible {
  /// No connection came about.
  case unreachable(reason: String)
  /// One came about, to something that cannot be worked with.
  case unfit(reason: String)
  /// The server refused a statement; the transaction has to be rolled back.
  case refused(SQLState, reason: String)
  /// The connection ended: what was not committed is undone.
  case disconnected(reason: String)
  /// It ended while a COMMIT was under way: nobody here knows whether that was done.
  case commitUnknown(reason: String)
  /// An answer is not of the form that was asked for.
  case malformed(reason: String)

  package static let pooler =
    "a pooler such as PgBouncer stands before the server, and chimed holds on to sessions by "
    + "locks: give the address of the server itself"

  package var description: String {
    switch self {
    case .unreachable(let reason): "PostgreSQL cannot be reached: \(reason)"
    case .unfit(let reason): "PostgreSQL cannot be used: \(reason)"
    case .refused(let state, let reason): "PostgreSQL says: \(reason) (SQLSTATE \(state))"
    case .disconnected(let reason): "the connection to PostgreSQL has ended: \(reason)"
    case .commitUnknown(let reason):
      "the connection to PostgreSQL has ended during a COMMIT: \(reason)"
    case .malformed(let reason): "PostgreSQL's answer is not what was asked for: \(reason)"
    }
  }
}

/// The five letters by which SQL names a condition (PostgreSQL's manual, appendix A).
package struct SQLState: Hashable, Sendable, CustomStringConvertible {
  package let description: String

  package init(_ code: String) {
    description = code
  }

  /// Whether a session was asked for a statement that another has prepared, or had prepared before:
  /// a session's own are always as it knows them.
  var isOfAnotherSession: Bool { description == "42P05" || description == "26000" }

  /// Its first two letters.
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
