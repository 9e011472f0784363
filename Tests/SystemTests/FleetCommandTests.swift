import Glibc
import Testing

/// The command `chimed fleet` when the PostgreSQL server refuses its user.
@OwnThread @Suite struct FleetCommandTests {
  /// Runs `chimed fleet init` with a server that refuses the connection for a reason.
  ///
  /// - Returns: the command's standard error, and the path of its configuration file.
  private func errors(refusedFor reason: String) throws -> (text: String, file: String) {
    let workspace = try Workspace()
    let fields = "SFATAL\0VFATAL\0C28000\0M\(reason)\0\0"
    // The last of the four bytes of the message's length.
    let length = try #require(UnicodeScalar(fields.utf8.count + 4))
    try #require(length.isASCII)
    let server = try CannedServer(
      at: workspace.path + "/.s.PGSQL.5432", answering: "E\0\0\0\(length)\(fields)")
    let file = workspace.path + "/chimed.yaml"
    try Files.write(
      "store: {postgresql: {url: \"host=\(workspace.path) dbname=chimed\"}}\n", to: file)
    let command = try ChildProcess(Project.chimed, ["fleet", "init", "--config", file])
    #expect(try command.finish() == .exited(69))
    withExtendedLifetime(server) {}
    return (String(decoding: command.errors.take(), as: UTF8.self), file)
  }

  @Test(
    .enabled(if: geteuid() == 0, "only root gets the hint"),
    arguments: [
      "role \"root\" does not exist", "Peer authentication failed for user \"chimed\"",
    ])
  func `F1: if the server refuses root, the error has the command for the service's user`(
    reason: String
  ) throws {
    let (text, file) = try errors(refusedFor: reason)
    let lines = text.split(separator: "\n")
    #expect(lines.first?.hasSuffix("FATAL:  \(reason)") == true, "\(text)")
    #expect(
      lines.dropFirst() == [
        "PostgreSQL accepts the service's user; run: "
          + "runuser -u chimed -- chimed fleet init --config \(file)"
      ], "\(text)")
  }

  @Test func `F1: another refusal has no such hint`() throws {
    let (text, _) = try errors(refusedFor: "database \"chimed\" does not exist")
    #expect(text.contains("does not exist") && !text.contains("runuser"), "\(text)")
  }

  @Test func `F1: the manual runs each command as the service's user, like the hint`() throws {
    let manual = try Files.read(Project.root + "/config/manual/chimed-fleet.7")
    let commands = String(decoding: manual, as: UTF8.self).split(separator: "\n")
      .filter { $0.contains(" chimed fleet ") && !$0.hasPrefix(".") && !$0.contains(/[.,:]$/) }
    #expect(commands.count == 3)
    for command in commands {
      #expect(command.hasPrefix("runuser -u chimed -- chimed fleet "), "\(command)")
    }
  }
}
