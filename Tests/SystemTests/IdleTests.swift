import Testing

/// A service without work sleeps until there is some.
@OwnThread @Suite struct IdleTests {
  private let workspace: Workspace
  private let service: Service
  /// On the wall clock, absolute, cancelled when the clock is set.
  private let engines = TimerDescriptor(clock: 0, flags: 3)
  /// What libdispatch sets.
  private let dispatchs = TimerDescriptor(clock: 1, flags: 1)

  init() throws {
    workspace = try Workspace()
    service = try Service(workspace)
    try service.waitUntilReady()
  }

  @Test func nothingWakesItButTheEnginesTimer() throws {
    #expect(try TimerDescriptor.armed(in: service.process.identifier) == [engines])
    #expect(try service.stop() == .exited(0))
  }

  @Test func nothingWakesItAfterARestartEither() throws {
    #expect(try service.stop() == .exited(0))
    let second = try Service(workspace)
    try second.waitUntilReady()
    #expect(try TimerDescriptor.armed(in: second.process.identifier) == [engines])
    #expect(try second.stop() == .exited(0))
  }

  @Test func itsWorkLeavesNothingBehindThatWakesIt() throws {
    let event = Report.milestone("e1", of: "r1", at: Report.overdue)
    #expect(try service.ask("POST", "/v1/events", event).status == 202)
    #expect(try service.deliveries(1).count == 1)
    #expect(try service.ask("GET", "/v1/recipients/r1/pending").status == 200)
    // The engine may be at work, and NIO's timer set yet for a connection that has gone.
    #expect(try !TimerDescriptor.armed(in: service.process.identifier).contains(dispatchs))
    #expect(try service.stop() == .exited(0))
  }

  /// Once what was asked for has been, for as long as it takes libdispatch to begin.
  private func expectSleep(sourceLocation: SourceLocation = #_sourceLocation) throws {
    // An answer later, whoever had work at the time has done it.
    #expect(try service.ask("GET", "/v1/status").status == 200)
    #expect(
      try !TimerDescriptor.armed(in: service.process.identifier).contains(dispatchs),
      sourceLocation: sourceLocation)
    #expect(try service.stop() == .exited(0))
  }

  @Test func aBackupLeavesNothingBehindThatWakesIt() throws {
    let file = workspace.path + "/backup"
    let made = try Chimectl(socket: workspace.socket).run(["backup", file])
    #expect(made.ending == .exited(0), "\(made.errors)")
    try expectSleep()
  }

  @Test func aTestLeavesNothingBehindThatWakesIt() throws {
    let event = Report.milestone("e1", of: "r1", at: Report.overdue)
    #expect(try service.ask("POST", "/v1/events", event).status == 202)
    let sent = try Chimectl(socket: workspace.socket).run(["test", "r1", "--channel", "inapp"])
    #expect(sent.ending == .exited(0), "\(sent.errors)")
    try expectSleep()
  }

  @Test func aReloadLeavesNothingBehindThatWakesIt() throws {
    #expect(try service.ask("POST", "/v1/reload").status == 200)
    try expectSleep()
  }
}
