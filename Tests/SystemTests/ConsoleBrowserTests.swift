import Testing

/// Tests of the console. In Chromium, they carry out its users' tasks, and axe checks every page in
/// light and dark mode, in Arabic and on a phone.
@OwnThread @Suite struct ConsoleBrowserTests {
  private nonisolated static let python = "browser/bin/python"
  private nonisolated static let compiler = "/usr/bin/tsc"
  private nonisolated static let node = "/usr/bin/node"

  @Test(
    .enabled(
      if: Project.hasTool(python), "playwright is missing; run `make test`, which fetches it"),
    .enabled(if: Project.isExecutable("/usr/bin/chromium"), "make test installs chromium"))
  func `every page and task works in a browser`() throws {
    let workspace = try Workspace()
    let script = Project.root + "/Tests/SystemTests/Console/console_test.py"
    let pictures = Project.root + "/.build/console"
    let test = try ChildProcess(
      Project.tool(Self.python),
      ["-B", script, Project.chimed, Project.catalogs, workspace.path, pictures])
    let ending = try test.finish(timeout: 1_200)
    let report = String(decoding: test.output.take() + test.errors.take(), as: UTF8.self)
    #expect(ending == .exited(0), "\(report)")
    #expect(report.contains("pages with 4 browser profiles"))
  }

  @Test(
    .enabled(
      if: Project.hasTool(python), "playwright is missing; run `make test`, which fetches it"),
    .enabled(if: Project.isExecutable("/usr/bin/chromium"), "make test installs chromium"))
  func `P8: the example draws a settings page, tries changes and saves them`() throws {
    let workspace = try Workspace()
    let test = try ChildProcess(
      Project.tool(Self.python),
      [
        "-B", Project.root + "/Tests/SystemTests/Console/settings_page_test.py", Project.chimed,
        Project.catalogs, workspace.path, Project.root + "/config/examples/settings-page",
      ])
    let ending = try test.finish(timeout: 300)
    let report = String(decoding: test.output.take() + test.errors.take(), as: UTF8.self)
    #expect(ending == .exited(0), "\(report)")
    #expect(report.contains("the settings page shows, tries and saves settings"))
  }

  @Test(
    .enabled(
      if: Project.hasTool(python), "playwright is missing; run `make test`, which fetches it"),
    .enabled(if: Project.isExecutable("/usr/bin/chromium"), "make test installs chromium"))
  func `H28: the pages of actions work in a browser, also without scripts`() throws {
    let workspace = try Workspace()
    let test = try ChildProcess(
      Project.tool(Self.python),
      [
        "-B", Project.root + "/Tests/SystemTests/Console/action_pages_test.py", Project.chimed,
        Project.catalogs, workspace.path,
      ])
    let ending = try test.finish(timeout: 300)
    let report = String(decoding: test.output.take() + test.errors.take(), as: UTF8.self)
    #expect(ending == .exited(0), "\(report)")
    #expect(report.contains("the pages of actions say, do and take back what they offer"))
  }

  /// Tests without a browser: dates, words, the geometry of charts, documents and queries.
  @Test(.enabled(if: Project.isExecutable(node), "nodejs is not installed"))
  func `the console's modules compute correctly`() throws {
    let tests = Project.root + "/Tests/SystemTests/Console/modules.test.mjs"
    let test = try ChildProcess(Self.node, ["--test", tests])
    let ending = try test.finish(timeout: 60)
    let report = String(decoding: test.output.take() + test.errors.take(), as: UTF8.self)
    #expect(ending == .exited(0), "\(report)")
    #expect(report.contains("fail 0"), "\(report)")
  }

  @Test(.enabled(if: Project.isExecutable(compiler), "node-typescript is not installed"))
  func `the console's types are correct`() throws {
    let main = Project.root + "/Sources/CConsole/web/main.js"
    let check = try ChildProcess(
      Self.compiler,
      [
        "--allowJs", "--checkJs", "--noEmit", "--strict", "--noImplicitAny", "false", "--target",
        "es2022", "--module", "es2022", "--moduleResolution", "node", "--lib",
        "es2022,dom,dom.iterable", main,
      ])
    let ending = try check.finish(timeout: 60)
    let report = String(decoding: check.output.take(), as: UTF8.self)
    #expect(ending == .exited(0), "\(report)")
  }
}
