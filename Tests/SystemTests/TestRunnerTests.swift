import Glibc
import Testing

/// The script that runs all tests. Stand-ins replace `swift` and the built tests.
@OwnThread @Suite struct TestRunnerTests {
  /// A stand-in for the built tests. Each suite is a file beside it, with the events of a run. The
  /// program lists the suites, or writes the events of the selected suite. B.Hanging does not end.
  private static let builtTests = """
    #!/bin/sh
    cd "$(dirname "$0")"
    case "$*" in
      *--list-tests*) for suite in [A-C].*; do echo "$suite/one()"; done; exit ;;
    esac
    while [ "$1" != --filter ]; do shift; done
    suite=$(ls | grep --extended-regexp "${2%/}$")
    while [ "$1" != --event-stream-output-path ]; do shift; done
    cat "$suite" >"$2"
    echo "output of $suite"
    [ "$suite" != B.Hanging ] || sleep 600
    ! grep --quiet issueRecorded "$suite"
    """

  /// The record of a test, with `ID` in place of its identifier.
  private static let description =
    #"{"kind":"test","payload":{"id":"ID","kind":"function"}}"# + "\n"

  private static func identifier(_ suite: String) -> String { suite + "/one()/A.swift:1:1" }

  private static func event(
    _ kind: String, of suite: String, at second: Int, _ members: String = ""
  ) -> String {
    #"{"kind":"event","payload":{"kind":"\#(kind)","testID":"\#(identifier(suite))","#
      + #""instant":{"absolute":\#(second)}\#(members)}}"# + "\n"
  }

  /// Runs the script with one process at a time.
  ///
  /// - Parameters:
  ///   - suites: the seconds that each suite takes; nil if it does not end.
  ///   - others: further suites, whose runs have no events.
  ///   - minutes: how long a process may run without progress.
  ///   - issue: the members of an issue that each suite records; none if empty.
  private func run(
    _ suites: [String: Int?], alsoListed others: [String] = [], minutes: String,
    in workspace: Workspace, issue: String = ""
  ) throws -> (ending: ChildProcess.Ending, output: String, errors: String) {
    let directory = workspace.state
    for (suite, seconds) in suites {
      var text = Self.description.replacing("ID", with: Self.identifier(suite))
      text += Self.event("testStarted", of: suite, at: 1_000)
      if !issue.isEmpty { text += Self.event("issueRecorded", of: suite, at: 1_000, issue) }
      if let seconds { text += Self.event("testEnded", of: suite, at: 1_000 + seconds) }
      try Files.write(text, to: directory + "/" + suite)
    }
    for suite in others { try Files.write("", to: directory + "/" + suite) }
    let programs = [
      "swift": "#!/bin/sh\necho \(directory)\n", "chimedPackageTests": Self.builtTests,
    ]
    for (name, text) in programs {
      let path = workspace.path + "/" + name
      try Files.write(text, to: path)
      _ = try Failure.check(path, chmod(path, 0o700))
    }
    rename(workspace.path + "/chimedPackageTests", directory + "/chimedPackageTests.xctest")
    let process = try ChildProcess(
      "/usr/bin/env",
      [
        "PATH=\(workspace.path):/usr/bin:/bin", "python3", "-B",
        Project.root + "/Tests/run-tests.py", minutes, "1",
      ])
    let ending = try process.finish()
    let texts = [process.output, process.errors].map { String(decoding: $0.take(), as: UTF8.self) }
    return (ending, texts[0], texts[1])
  }

  @Test func `a process without progress is killed and its running test is named`() throws {
    let workspace = try Workspace()
    let suites = ["A.Quick": 2, "B.Hanging": nil, "C.Quick": 3]
    let (ending, output, errors) = try run(suites, minutes: "0.05", in: workspace)
    #expect(ending == .exited(1))
    #expect(
      errors == """
        error: in B.Hanging no test started or ended for 0.05 minutes
        begun and not ended: B.Hanging/one()/A.swift:1:1

        """)
    for suite in suites.keys { #expect(output.contains("output of \(suite)\n"), "\(output)") }
  }

  @Test func `the longest suites of the last run begin first and are listed`() throws {
    let workspace = try Workspace()
    let suites = ["A.Quick": 1, "B.Slow": 90, "C.Medium": 30]
    _ = try run(suites, minutes: "9", in: workspace)
    let (ending, output, errors) = try run(suites, minutes: "9", in: workspace)
    #expect(ending == .exited(0) && errors == "", "\(errors)")
    let order = ["B.Slow", "C.Medium", "A.Quick"]
    #expect(output.matches(of: /output of (.+)/).map { String($0.1) } == order)
    let slowest = output.matches(of: /\s+([0-9.]+) ([A-C]\.\w+)\/one/).map { "\($0.1) \($0.2)" }
    #expect(slowest == ["90.0 B.Slow", "30.0 C.Medium", "1.0 A.Quick"], "\(output)")
  }

  @Test func `a listed test that no process selects is a failure`() throws {
    let workspace = try Workspace()
    let (ending, _, errors) = try run(
      ["A.Quick": 1], alsoListed: ["B.Absent"], minutes: "9", in: workspace)
    #expect(ending == .exited(1))
    #expect(errors.contains("error: was in no process: B.Absent/one()\n"), "\(errors)")
  }

  @Test func `failures are repeated at the end`() throws {
    let workspace = try Workspace()
    let issue = #","issue":{"isKnown":false},"messages":[{"text":"it is red"}]"#
    let (ending, _, errors) = try run(["A.Red": 1], minutes: "9", in: workspace, issue: issue)
    #expect(ending == .exited(1))
    #expect(
      errors == """
        error: A.Red ended with status 1
        failed: A.Red/one()/A.swift:1:1
          it is red

        """)
  }
}
