import Glibc
import JSON
import Testing

/// Programs that the service started end with it, and a reload opens the files of deliveries again.
@OwnThread @Suite struct ProgramTests {
  private let workspace: Workspace
  /// A named pipe that a program holds open while it lives.
  private let tether: Inlet

  init() throws {
    workspace = try Workspace()
    let path = workspace.path + "/tether"
    _ = try Failure.check("mkfifo", mkfifo(path, 0o600))
    tether = Inlet(
      try Failure.check("open", open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)))
  }

  /// Starts a service with a script as its only sink.
  ///
  /// - Parameter type: the sink's type, `exec` or `pipe`.
  private func service(_ type: String, _ script: String) throws -> Service {
    let path = workspace.path + "/script"
    try Files.write("cd \(workspace.path)\n" + script, to: path)
    return try service("{type: \(type), command: [/bin/sh, \(path)]}")
  }

  private func service(_ sink: String) throws -> Service {
    let file = workspace.path + "/chimed.yaml"
    try Files.write(
      """
      catalogs: [imanpath]
      state-directory: \(workspace.state)
      sinks: {only: \(sink)}
      """, to: file)
    let service = try Service(
      workspace, arguments: ["serve", "--config", file, "--socket", workspace.socket])
    try service.waitUntilReady()
    return service
  }

  private func report(_ identifier: String, to service: Service) throws {
    let event = Report.milestone(identifier, of: "r1", at: Report.overdue)
    #expect(try service.ask("POST", "/v1/events", event).status == 202)
  }

  /// Waits until the program has opened the tether and written to it.
  private func waitUntilTetherIsUsed(_ service: Service) throws {
    while tether.bytes.isEmpty {
      guard !service.hasEnded else { throw Failure("the service has ended:\n\(service.log)") }
      try service.readOutput(others: [tether.descriptor])
      if try isTetherReadable() { tether.read() }
    }
  }

  private func isTetherReadable() throws -> Bool {
    var request = pollfd(fd: tether.descriptor, events: Int16(POLLIN), revents: 0)
    return try Failure.check("poll", poll(&request, 1, 0)) > 0
  }

  @Test(arguments: ["exec", "pipe"])
  func `no program outlives a killed service`(type: String) throws {
    let service = try service(
      type, "trap '' TERM HUP INT PIPE\nexec 3> tether\necho >&3\nexec sleep 1000")
    try report("e1", to: service)
    try waitUntilTetherIsUsed(service)
    service.process.send(SIGKILL)
    _ = try service.process.finish()
    while !tether.isAtEnd {
      #expect(try Poll.wait(reading: [tether.descriptor]).count == 1)
      tether.read()
    }
  }

  @Test func `a running program's input ends when the service stops`() throws {
    let service = try service(
      "pipe",
      """
      exec 3> tether
      while read -r line; do
        id=${line#*'"id":"'}
        printf '{"id":"%s","outcome":"delivered"}\\n' "${id%%'"'*}"
        echo >&3
      done
      echo > farewell
      """)
    try report("e1", to: service)
    try waitUntilTetherIsUsed(service)
    #expect(try service.stop() == .exited(0))
    #expect(Files.names(in: workspace.path).contains("farewell"))
    #expect(service.log.contains("the program is gone: it ended with exit 0"))
  }

  @Test func `a reload opens files again`() throws {
    let watch = try FileWatch(workspace.path)
    let service = try service("{type: jsonl, file: \(workspace.deliveries)}")
    try report("e1", to: service)
    while try Files.read(workspace.deliveries).isEmpty {
      try service.readOutput(others: [watch.descriptor])
      watch.read()
    }
    _ = try Failure.check("rename", rename(workspace.deliveries, workspace.path + "/yesterday"))
    service.process.send(SIGHUP)
    try service.waitUntilLogged("was reloaded")
    #expect(try Files.read(workspace.path + "/yesterday").isEmpty == false)
    #expect(try Files.read(workspace.deliveries).isEmpty)
    #expect(try service.stop() == .exited(0))
  }
}
