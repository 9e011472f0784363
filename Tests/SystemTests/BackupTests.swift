import Glibc
import JSON
import Testing

/// `chimectl backup` of a running service, and `chimed restore`.
@OwnThread @Suite struct BackupTests {
  private let workspace: Workspace

  init() throws {
    workspace = try Workspace()
  }

  private func run(
    _ program: String, _ arguments: [String]
  ) throws -> (ending: ChildProcess.Ending, output: String, errors: String) {
    let process = try ChildProcess(program, arguments, environment: [:])
    let ending = try process.finish()
    return (
      ending, String(decoding: process.output.take(), as: UTF8.self),
      String(decoding: process.errors.take(), as: UTF8.self)
    )
  }

  private func backUp(to file: String) throws -> (ending: ChildProcess.Ending, errors: String) {
    let result = try run(
      Chimectl.program, ["backup", file, "--socket", workspace.socket])
    return (result.ending, result.errors)
  }

  @Test func `a backup is restored into another state directory`() throws {
    let service = try Service(workspace)
    try service.waitUntilReady()
    let event = Report.milestone("e1", of: "r1", at: Report.overdue)
    #expect(try service.ask("POST", "/v1/events", event).status == 202)
    #expect(try service.deliveries(1).first?["recipient"] == "r1")
    let file = workspace.path + "/backup"
    let backup = try backUp(to: file)
    #expect(backup.ending == .exited(0), "\(backup.errors)")
    let secondBackup = try backUp(to: file)
    #expect(secondBackup.ending == .exited(73))
    #expect(secondBackup.errors.contains("exists already"))
    #expect(try service.stop() == .exited(0))

    let other = try Workspace()
    let restored = try run(
      Project.chimed, ["restore", file, "--state-directory", other.state])
    #expect(restored.ending == .exited(0), "\(restored.errors)")
    #expect(restored.output == "restored 1 recipients and 1 notifications\n")
    let second = try Service(other)
    try second.waitUntilReady()
    // The restored store contains the event and its delivery, so it sends nothing again.
    let reply = try second.ask("POST", "/v1/events", event)
    #expect(reply.status == 200)
    #expect(try second.stop() == .exited(0))
    #expect(second.process.output.takeLines().isEmpty)
  }

  @Test func `a restore is refused while the service runs`() throws {
    let service = try Service(workspace)
    try service.waitUntilReady()
    let file = workspace.path + "/backup"
    #expect(try backUp(to: file).ending == .exited(0))
    let options = ["restore", file, "--state-directory", workspace.state, "--replace"]
    let refused = try run(Project.chimed, options)
    #expect(refused.ending == .exited(75))
    #expect(refused.errors.contains("is in use by another chimed"))
    #expect(try service.stop() == .exited(0))
  }

  @Test(
    .enabled(
      if: SmallDisk.obstacle == nil, "\(SmallDisk.obstacle ?? "a small disk can be mounted")"))
  func `a restore reports that the disk is full`() throws {
    let file = workspace.path + "/backup"
    try Files.write([UInt8](repeating: 1, count: 5 << 20), to: file)
    // Another file uses one page, so that the last write fits only in part.
    let wrapper =
      SmallDisk.wrapper(at: workspace.state)
      + ["/bin/sh", "-c", "echo else >\"$0/else\" && exec \"$@\"", workspace.state]
    let arguments = [Project.chimed, "restore", file, "--state-directory", workspace.state]
    let refused = try run(wrapper[0], wrapper.dropFirst() + arguments)
    #expect(refused.ending == .exited(74))
    #expect(
      refused.errors.contains("restore.partial cannot be written: No space left on device"),
      "\(refused.errors)")
  }

  @Test func `the error of a damaged backup advises to restore another backup`() throws {
    let file = workspace.path + "/backup"
    try Files.write("This is a diary.", to: file)
    let refused = try run(
      Project.chimed, ["restore", file, "--state-directory", workspace.state])
    #expect(refused.ending == .exited(65))
    #expect(refused.errors.hasPrefix("error: \(file) is damaged or not a chimed store ("))
    #expect(refused.errors.contains("nothing was changed. Restore another backup"))
    #expect(!refused.errors.contains("move the file away"), "\(refused.errors)")
  }

  /// The id of the user `nobody`, and of its group. It owns none of the tests' files.
  private static let nobody: UInt32 = 65_534

  /// Backs up a service as root, stops it, and gives its state directory to `nobody`.
  ///
  /// - Returns: the path of the backup.
  private func backUpAsRoot() throws -> String {
    let service = try Service(workspace)
    try service.waitUntilReady()
    let event = Report.milestone("e1", of: "r1", at: Report.overdue)
    #expect(try service.ask("POST", "/v1/events", event).status == 202)
    #expect(try service.deliveries(1).count == 1)
    let file = workspace.path + "/backup"
    #expect(try backUp(to: file).ending == .exited(0))
    #expect(try service.stop() == .exited(0))
    // Systemd makes a service's user the owner of the state directory. The directory above it must
    // let that user pass.
    chmod(workspace.path, 0o711)
    for name in Files.names(in: workspace.state) {
      chown(workspace.state + "/" + name, Self.nobody, Self.nobody)
    }
    chown(workspace.state, Self.nobody, Self.nobody)
    return file
  }

  /// Returns the ids of all users and groups to which a directory and its files belong.
  private func owners(of directory: String) throws -> Set<UInt32> {
    var owners: Set<UInt32> = []
    for name in Files.names(in: directory) + ["."] {
      var status = stat()
      _ = try Failure.check(name, stat(directory + "/" + name, &status))
      owners.formUnion([status.st_uid, status.st_gid])
    }
    return owners
  }

  @Test(.enabled(if: getuid() == 0, "only root can change the owners of files"))
  func `S6: files restored by root belong to the directory's owner`() throws {
    let file = try backUpAsRoot()
    let options = ["restore", file, "--state-directory", workspace.state, "--replace"]
    for name in ["replaced", "replaced-2"] {
      let restored = try run(Project.chimed, options)
      #expect(restored.ending == .exited(0), "\(restored.errors)")
      #expect(restored.output.contains("the previous store is in \(workspace.state)/\(name)"))
      for directory in [workspace.state, workspace.state + "/" + name] {
        #expect(try owners(of: directory) == [Self.nobody], "\(directory)")
      }
    }
  }

  @Test(.enabled(if: getuid() == 0, "only root can change its user"))
  func `S6: the error names a backup that the service's user cannot read`() throws {
    let file = try backUpAsRoot()
    let arguments = ["--reuid", "\(Self.nobody)", "--clear-groups", Project.chimed]
    let options = ["restore", file, "--state-directory", workspace.state, "--replace"]
    let refused = try run("/usr/bin/setpriv", arguments + options)
    #expect(refused.ending == .exited(66))
    #expect(refused.errors.hasPrefix("error: \(file) cannot be read: Permission denied; "))
  }
}
