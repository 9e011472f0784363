import PostgresServer
import Testing

/// Nodes of a fleet under load, to each of which something happens: `make soak` for longer.
@OwnThread @Suite struct SoakTests {
  /// Each in seconds: what is under way is finished, and looked at, after them.
  private static let time = "6"

  private func run(_ script: String, _ arguments: [String]) throws -> (ChildProcess.Ending, String)
  {
    let process = try ChildProcess(
      "/usr/bin/python3", ["-B", Project.root + "/Tests/SystemTests/Soak/" + script] + arguments,
      environment: ["HOME": "/nonexistent"])
    let ending = try process.finish(patience: 300)
    return (ending, String(decoding: process.output.take() + process.errors.take(), as: UTF8.self))
  }

  @Test func theCheckerFindsEachFault() throws {
    let (ending, text) = try run("ledger_test.py", [])
    #expect(ending == .exited(0), "\(text)")
  }

  /// F4, F5: nothing that was acknowledged is lost, or said under two ids.
  @Test(.enabled(if: PostgresServer.isAvailable, Comment(rawValue: PostgresServer.comment)))
  func whatIsAcknowledgedIsSaidWhateverHappensToNodes() throws {
    let (ending, text) = try run(
      "soak.py", ["--program", Project.chimed, "--seconds", Self.time])
    print(text)
    #expect(ending == .exited(0), "\(text)")
  }
}
