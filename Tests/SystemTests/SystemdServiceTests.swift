import Testing

/// The installed service under a real systemd: rules S1, S2, S3, S5 and S6.
@OwnThread @Suite struct SystemdServiceTests {
  @Test(
    .enabled(
      if: SystemdContainer.obstacle == nil, "\(SystemdContainer.obstacle ?? "a systemd can boot")"),
    arguments: ["service.sh", "restarts.sh", "outages.sh", "mending.sh", "giving-up.sh"])
  func `the installed service does what its unit promises`(script: String) throws {
    let (ending, output) = try SystemdContainer.run(script)
    let lines = output.split(separator: "\n")
    for failure in lines where failure.hasPrefix("NOT OK: ") { Issue.record("\(failure)") }
    #expect(ending == .exited(0), "\(output)")
    print("under systemd, \(script): \(lines.count { $0.hasPrefix("ok: ") }) checks passed")
    for line in lines where line.hasPrefix("#   ") { print(line) }
  }
}
