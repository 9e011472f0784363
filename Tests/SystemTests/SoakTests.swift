import PostgresServer
import Testing

/// Nodes of a fleet under load with faults of each kind; `make soak` runs longer.
@OwnThread @Suite struct SoakTests {
  /// The seconds of load. Then the script waits for pending work, and checks the result.
  private static let seconds = "6"

  /// Runs a script; returns its ending and its output.
  ///
  /// - Parameter timeout: how many seconds the script may be without output.
  static func run(
    _ script: String, _ arguments: [String], timeout: Int32 = 300
  ) throws -> (ChildProcess.Ending, String) {
    let process = try ChildProcess(
      "/usr/bin/python3", ["-B", Project.root + "/Tests/SystemTests/Soak/" + script] + arguments,
      environment: ["HOME": "/nonexistent"])
    let ending = try process.finish(timeout: timeout)
    return (ending, String(decoding: process.output.take() + process.errors.take(), as: UTF8.self))
  }

  @Test func `the soak test's checker finds each kind of fault`() throws {
    let (ending, text) = try Self.run("ledger_test.py", [])
    #expect(ending == .exited(0), "\(text)")
  }

  /// Rules F4, F5: no acknowledged event is lost or delivered under two ids.
  @Test(.enabled(if: PostgresServer.isAvailable, Comment(rawValue: PostgresServer.comment)))
  func `acknowledged events are delivered whatever happens to nodes`() throws {
    let (ending, text) = try Self.run(
      "soak.py", ["--program", Project.chimed, "--seconds", Self.seconds])
    print(text)
    #expect(ending == .exited(0), "\(text)")
  }
}
