import Glibc
import Testing

/// The condition of the unit that closes the sockets after a permanent failure. Since version 254,
/// systemd starts that unit before each automatic restart, too.
@Suite struct FailureUnitTests {
  /// A stand-in for systemctl that answers the condition's queries. The failure unit's job is 20.
  private static let systemctl = """
    #!/bin/sh
    case "$*" in
    *Job*chimed-failure*) echo 20 ;;
    *Job*) echo "$JOB" ;;
    *) printf '%s\\n' "$ACTIVE" "$SUB" ;;
    esac
    """

  @Test(arguments: [
    ("failed", "failed", "", true), ("failed", "failed", "30", true),
    ("failed", "failed", "10", false), ("active", "running", "", false),
    ("activating", "start", "30", true), ("activating", "auto-restart", "", false),
    ("activating", "auto-restart-queued", "", false),
    ("failed", "failed-before-auto-restart", "", false),
  ])
  func `the sockets are closed only if the service is not restarted`(
    active: String, sub: String, job: String, isClosed: Bool
  ) throws {
    let workspace = try Workspace()
    let program = workspace.path + "/systemctl"
    try Files.write(Self.systemctl, to: program)
    _ = try Failure.check("chmod", chmod(program, 0o755))
    let shell = try ChildProcess(
      "/bin/sh", ["-c", try Self.condition()],
      environment: [
        "PATH": workspace.path + ":/usr/bin:/bin", "ACTIVE": active, "SUB": sub, "JOB": job,
      ])
    let ending = try shell.finish(timeout: 20)
    #expect(ending == .exited(isClosed ? 0 : 1))
  }

  /// Returns the shell text of the unit's condition for chimed.service.
  private static func condition() throws -> String {
    let path = Project.root + "/systemd/chimed-failure@.service"
    let unit = String(decoding: try Files.read(path), as: UTF8.self)
    let text = try #require(unit.firstMatch(of: /ExecCondition=\+\/bin\/sh -c '([^']*)'\n/))
    return String(text.output.1).replacing("\\\n", with: " ")
      .replacing("%i", with: "chimed.service")
      .replacing("%n", with: "chimed-failure@chimed.service.service")
  }
}
