import Postgres
import Testing

@testable import PostgresStore

/// The advice for a server that rejects a session.
@Suite struct ServerCheckTests {
  private func refusal(_ reason: String) -> PostgresError? {
    #expect(throws: PostgresError.self) {
      try ServerCheck.explainingRejection(of: ["jit": "off"]) { () throws(PostgresError) in
        throw .unreachable(reason: reason)
      }
    }
  }

  @Test(arguments: ["jit", "idle_session_timeout"])
  func `a server that does not know a parameter of chimed is too old`(parameter: String) throws {
    let reason = "FATAL: unrecognized configuration parameter \"\(parameter)\""
    let error = try #require(refusal(reason))
    #expect("\(error)".contains("PostgreSQL 15 or newer is needed"), "\(error)")
  }

  @Test func `an operator's unknown parameter is not blamed on an old server`() {
    let reason = "FATAL: unrecognized configuration parameter \"jti\""
    #expect(refusal(reason) == .unreachable(reason: reason))
  }
}
