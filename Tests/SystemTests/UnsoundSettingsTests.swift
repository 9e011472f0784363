import Testing

/// A start reports invalid settings with their position, and changes nothing.
@OwnThread @Suite struct UnsoundSettingsTests {
  private let workspace: Workspace

  init() throws {
    workspace = try Workspace()
  }

  @Test func `an invalid catalog is reported with line and column`() throws {
    let path = workspace.path + "/course.yaml"
    let text = """
      catalog: course
      categories:
        LESSON: {title: Lessons, urgency: shrill, channels: {push: true}}
      """
    try Files.write(text, to: path)
    let start = try FailedStart(workspace, Service.arguments(workspace, catalog: path))
    #expect(start.code == 78)
    #expect(start.message.contains("\(path):3:37:"))
    #expect(start.message.contains("shrill"))
    #expect(Files.names(in: workspace.state) == [])
  }

  @Test func `a missing catalog is reported with the searched directory`() throws {
    let start = try FailedStart(workspace, Service.arguments(workspace, catalog: "imanpaht"))
    #expect(start.code == 78)
    #expect(start.message.contains("imanpaht"))
    #expect(start.message.contains(Project.catalogs))
    #expect(Files.names(in: workspace.state) == [])
  }

  @Test func `H21: an unknown interface is reported with its position and valid names`() throws {
    let path = workspace.path + "/chimed.yaml"
    try Files.write("sinks: {log: {type: journal}}\ninterfaces: [rooms, urbanest]\n", to: path)
    let start = try FailedStart(
      workspace, ["serve", "--config", path, "--state-directory", workspace.state])
    #expect(start.code == 78)
    #expect(start.message.contains("\(path):2:21:"), "\(start.message)")
    #expect(start.message.contains("use urbannest or rooms, or [] for none"))
    #expect(start.message.contains("did you mean \"urbannest\"?"))
    #expect(Files.names(in: workspace.state) == [])
  }

  @Test func `an unknown sink is a usage error`() throws {
    let arguments = ["serve", "--state-directory", workspace.state, "--catalog", "imanpath"]
    let start = try FailedStart(workspace, arguments + ["--sink", "pigeon"])
    #expect(start.code == 64)
    #expect(start.message.contains("pigeon"))
    #expect(Files.names(in: workspace.state) == [])
  }
}
