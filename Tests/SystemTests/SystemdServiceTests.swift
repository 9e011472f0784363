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

  @Test(arguments: ["chimed.service", "chimed.socket", "chimed-failure@.service"])
  func `S1: a unit's documentation is a list of manual pages that exist`(name: String) throws {
    let unit = try String(decoding: Files.read(Project.root + "/systemd/" + name), as: UTF8.self)
    let line = try #require(unit.firstMatch(of: /\nDocumentation=(.+)\n/)).output.1
    let pages = line.split(separator: " ").compactMap { $0.wholeMatch(of: /man:(.+)\((\d)\)/) }
    #expect(pages.count == line.split(separator: " ").count && !pages.isEmpty)
    let manual = Files.names(in: Project.root + "/config/manual")
    for page in pages { #expect(manual.contains("\(page.output.1).\(page.output.2)")) }
  }
}
