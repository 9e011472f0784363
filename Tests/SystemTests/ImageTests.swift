import Testing

/// The OCI image in a container, and the examples for it (rule S12).
@OwnThread @Suite struct ImageTests {
  /// The reason why no container can be run here; nil if one can.
  private nonisolated static let obstacle: String? = {
    let missing = ["crun", "curl", "ip", "make", "strip", "umoci"].filter {
      !Project.isInstalled($0)
    }
    let reason =
      Mounting.obstacle
      ?? (missing.isEmpty
        ? nil : "\(missing.joined(separator: ", ")): not installed (make deps-test installs them)")
    if let reason { print("SKIPPED: the OCI image is not tested: \(reason)") }
    return reason
  }()

  @Test(.enabled(if: obstacle == nil, "\(obstacle ?? "a container can be run")"))
  func `S12: the image is reproducible, runs unprivileged, drains, and keeps its state`() throws {
    let script = Project.root + "/Tests/SystemTests/Image/image.sh"
    let process = try ChildProcess("/bin/bash", [script, Project.programs])
    let ending = try process.finish(timeout: 300)
    let output = String(
      decoding: process.output.take() + process.errors.take(), as: UTF8.self)
    let lines = output.split(separator: "\n")
    for failure in lines where failure.hasPrefix("NOT OK: ") { Issue.record("\(failure)") }
    #expect(ending == .exited(0), "\(output)")
    #expect(lines.count { $0.hasPrefix("ok: ") } > 20)
  }

  private nonisolated static let validator = "kubernetes/bin/kubernetes-validate"
  private nonisolated static let manifests = ["kubernetes.yaml", "kubernetes-fleet.yaml"]

  @Test(
    .enabled(
      if: Project.hasTool(validator),
      "kubernetes-validate is missing; run `make test`, which fetches it"),
    arguments: manifests)
  func `Kubernetes would accept the example`(name: String) throws {
    let check = try ChildProcess(
      Project.tool(Self.validator), ["--strict", "--no-warn", Self.path(of: name)])
    let ending = try check.finish(timeout: 120)
    let report = String(decoding: check.output.take() + check.errors.take(), as: UTF8.self)
    #expect(ending == .exited(0), "\(report)")
  }

  @Test(arguments: manifests + ["compose.yaml"])
  func `an example names this version's image`(name: String) throws {
    let text = try String(decoding: Files.read(Self.path(of: name)), as: UTF8.self)
    let version = try String(
      decoding: Files.read(Project.root + "/Sources/Reminders/Version.swift"), as: UTF8.self)
    let images = text.matches(of: /image: \S*chimed:(\S+)/)
    #expect(!images.isEmpty)
    for image in images { #expect(version.contains("current = \"\(image.output.1)\"")) }
  }

  @Test(arguments: manifests)
  func `the configuration of an example is valid`(name: String) throws {
    let workspace = try Workspace()
    let text = try String(decoding: Files.read(Self.path(of: name)), as: UTF8.self)
    let start = try #require(text.firstRange(of: "  chimed.yaml: |\n")).upperBound
    let lines = text[start...].split(separator: "\n").prefix { $0.hasPrefix("    ") }
    let script = """
      mkdir "$0/credentials" && echo whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw >"$0/credentials/hook"
      printf '%s\\n' "$2" >"$0/chimed.yaml" && CREDENTIALS_DIRECTORY="$0/credentials" \\
        exec "$1" --check-config --config "$0/chimed.yaml" --state-directory "$0/state"
      """
    let check = try ChildProcess(
      "/bin/sh",
      ["-c", script, workspace.path, Project.chimed, lines.joined(separator: "\n")],
      environment: ["CHIMED_CATALOGS": Project.catalogs])
    _ = try check.finish()
    let report = String(decoding: check.output.take() + check.errors.take(), as: UTF8.self)
    // The example's database server does not exist here, and the tz database may be out of date.
    // The check reports both, which is no fault of the example.
    let otherLines = report.split(separator: "\n").filter {
      !$0.hasPrefix("the database user=chimed ") && !$0.hasPrefix("remark: ")
    }
    let expectedLines: [Substring] =
      name == "kubernetes.yaml" ? ["the configuration is valid"] : []
    #expect(otherLines == expectedLines, "\(report)")
    #expect(!report.isEmpty)
  }

  private static func path(of example: String) -> String {
    Project.root + "/config/examples/" + example
  }
}
