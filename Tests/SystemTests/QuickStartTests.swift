import Glibc
import JSON
import Testing

/// The first steps that the README and the examples describe work as they are written.
@OwnThread @Suite struct QuickStartTests {
  /// Runs the block of the README with a free port, twice in one directory.
  @Test func `the README's first app works, also when it is run again`() throws {
    let workspace = try Workspace()
    _ = try Failure.check(
      "symlink", symlink(Project.root + "/config", workspace.path + "/config"))
    let block = try #require(
      Self.block(of: "## A first app", in: String(decoding: Files.read(Self.readme), as: UTF8.self))
    )
    #expect(block.contains("8008"))
    for _ in 1...2 { try runQuickStart(block, in: workspace) }
  }

  private func runQuickStart(_ block: String, in workspace: Workspace) throws {
    let script = "set -euo pipefail\n" + block.replacing("8008", with: "\(try FreePort.any())")
    let shell = try ChildProcess(
      "/usr/bin/env", ["-C", workspace.path, "/bin/bash", "-c", script],
      environment: ["PATH": Project.programs + ":/usr/local/bin:/usr/bin:/bin"])
    let ending = try shell.finish(timeout: 60)
    let output = String(decoding: shell.output.take(), as: UTF8.self)
    let log = String(decoding: shell.errors.take(), as: UTF8.self)
    #expect(ending == .exited(0), "\(output)\(log)")
    #expect(output.contains(#"{"id":"1","status":"accepted"}"#), "\(output)\(log)")
    #expect(output.firstMatch(of: /webhook: \w+-1 Hello/) != nil, "\(output)")
    #expect(log.contains("Z informational: stopping\n"), "\(log)")
    #expect(!log.contains(#/Z (warning|error|critical|alert|emergency): /#), "\(log)")
    let start = try #require(output.firstRange(of: #"{"recipient":"u1""#))
    let answer = try JSONParser().parse(
      String(output[start.lowerBound...].prefix { $0 != "\n" }.trimmingAfterLastBrace))
    let explanation = answer["explanations"]?[0]
    #expect(explanation?["title"] == "Hello")
    #expect(explanation?["outcome"] == "accepted")
    let gates = explanation?["rounds"]?[0]?["gates"]?.arrayValue ?? []
    #expect(gates.contains { $0["gate"] == "quiet_hours" && $0["verdict"] == "passes" })
  }

  @Test func `the quick start works in Python`() throws {
    let workspace = try Workspace()
    let service = try Service(workspace, sink: .file)
    try service.waitUntilReady()
    let python = try run(
      "/usr/bin/python3", ["-B", Project.root + "/config/examples/quickstart.py", workspace.socket])
    #expect(python.hasPrefix("accepted 3 duplicate 0\n"), "\(python)")
    #expect(python.contains("Day 2 Lesson Ready\n"))
    #expect(python.contains("Hello from Python accepted at "))
    #expect(try service.stop() == .exited(0))
  }

  /// `make run` prints the command last.
  @Test func `the command of make run and README sends a reminder at once`() throws {
    let makefile = try String(decoding: Files.read(Project.root + "/Makefile"), as: UTF8.self)
    let hint = try #require(
      makefile.firstMatch(
        of: /echo "A reminder at once: chimectl ([^"]+)" \\\n\s+"([^"]+)" >&2\n\s+return\n/))
    let readme = String(decoding: try Files.read(Self.readme), as: UTF8.self)
    #expect(readme.contains("$ chimectl \(hint.output.1) \(hint.output.2)\n"))
    let workspace = try Workspace()
    let service = try Service(workspace)
    try service.waitUntilReady()
    let arguments = [hint.output.1, hint.output.2].flatMap { $0.split(separator: " ") }
    let result = try Chimectl(socket: workspace.socket).run(arguments.map(String.init))
    #expect(result.ending == .exited(0), "\(result.errors)")
    #expect(try service.deliveries(1).first?["recipient"] == "u1")
    #expect(try service.stop() == .exited(0))
  }

  /// nginx uses the example configuration for a proxy.
  @Test(
    .enabled(if: Project.hasTool("nginx"), "nginx is missing; run `make test`, which fetches it"))
  func `tokens, streams, batches and links work behind nginx`() throws {
    let workspace = try Workspace()
    let report = try run(
      "/usr/bin/python3",
      [
        "-B", Project.root + "/Tests/SystemTests/proxy_client.py", Project.tool("nginx"),
        Project.root + "/config/examples/nginx.conf", Project.chimed, Project.catalogs,
        workspace.path,
      ])
    #expect(report.contains("token, stream, batch and link work through nginx"))
  }

  private static let readme = Project.root + "/README.md"

  private func run(_ program: String, _ arguments: [String]) throws -> String {
    let child = try ChildProcess(program, arguments)
    let ending = try child.finish(timeout: 60)
    let report = String(decoding: child.output.take() + child.errors.take(), as: UTF8.self)
    #expect(ending == .exited(0), "\(report)")
    return report
  }

  /// Returns the first shell block below a heading; nil if there is none.
  private static func block(of heading: String, in markdown: String) -> String? {
    guard let start = markdown.firstRange(of: heading + "\n") else { return nil }
    let rest = markdown[start.upperBound...]
    guard let open = rest.firstRange(of: "```sh\n"),
      let end = rest[open.upperBound...].firstRange(of: "\n```\n")
    else { return nil }
    return String(rest[open.upperBound..<end.lowerBound]) + "\n"
  }
}

extension Substring {
  /// The text up to its last brace, without other output that follows a document on its line.
  fileprivate var trimmingAfterLastBrace: Substring {
    lastIndex(of: "}").map { self[...$0] } ?? self
  }
}
