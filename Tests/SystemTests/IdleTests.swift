import Testing

/// A service without work sleeps.
@OwnThread @Suite struct IdleTests {
  private let workspace: Workspace
  private let service: Service
  /// The engine's timer: on the wall clock, absolute, cancelled when the clock is set.
  private let engineTimer = TimerDescriptor(clock: 0, flags: 3)
  /// A timer of libdispatch.
  private let dispatchTimer = TimerDescriptor(clock: 1, flags: 1)

  init() throws {
    workspace = try Workspace()
    service = try Service(workspace)
    try service.waitUntilReady()
  }

  @Test func `only the engine's timer wakes an idle service`() throws {
    #expect(try TimerDescriptor.armed(in: service.process.identifier) == [engineTimer])
    #expect(try service.stop() == .exited(0))
  }

  @Test func `only the engine's timer wakes it after a restart`() throws {
    #expect(try service.stop() == .exited(0))
    let second = try Service(workspace)
    try second.waitUntilReady()
    #expect(try TimerDescriptor.armed(in: second.process.identifier) == [engineTimer])
    #expect(try second.stop() == .exited(0))
  }

  @Test func `a delivery leaves no other timer`() throws {
    let event = Report.milestone("e1", of: "r1", at: Report.overdue)
    #expect(try service.ask("POST", "/v1/events", event).status == 202)
    #expect(try service.deliveries(1).count == 1)
    #expect(try service.ask("GET", "/v1/recipients/r1/pending").status == 200)
    // The engine may still be working, and NIO may have a timer for a closed connection.
    #expect(try !TimerDescriptor.armed(in: service.process.identifier).contains(dispatchTimer))
    #expect(try service.stop() == .exited(0))
  }

  /// Checks that no timer of libdispatch is armed after earlier work, and stops the service.
  private func expectSleep(sourceLocation: SourceLocation = #_sourceLocation) throws {
    // When this request is answered, earlier work is done.
    #expect(try service.ask("GET", "/v1/status").status == 200)
    #expect(
      try !TimerDescriptor.armed(in: service.process.identifier).contains(dispatchTimer),
      sourceLocation: sourceLocation)
    #expect(try service.stop() == .exited(0))
  }

  @Test func `a backup leaves no timer`() throws {
    let file = workspace.path + "/backup"
    let backup = try Chimectl(socket: workspace.socket).run(["backup", file])
    #expect(backup.ending == .exited(0), "\(backup.errors)")
    try expectSleep()
  }

  @Test func `a test notification leaves no timer`() throws {
    let event = Report.milestone("e1", of: "r1", at: Report.overdue)
    #expect(try service.ask("POST", "/v1/events", event).status == 202)
    let test = try Chimectl(socket: workspace.socket).run(["test", "r1", "--channel", "inapp"])
    #expect(test.ending == .exited(0), "\(test.errors)")
    try expectSleep()
  }

  @Test func `a reload leaves no timer`() throws {
    #expect(try service.ask("POST", "/v1/reload").status == 200)
    try expectSleep()
  }
}
