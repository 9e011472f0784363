import CivilTime
import JSON
import Testing

/// Rules E3 and S2 on a full disk. An event that cannot be stored is not accepted, and due
/// occurrences wait. The service continues by itself once there is room.
@OwnThread @Suite struct FullDiskTests {
  @Test(
    .enabled(
      if: SmallDisk.obstacle == nil, "\(SmallDisk.obstacle ?? "a small disk can be mounted")"))
  func `a full disk delays deliveries and loses none`() throws {
    let workspace = try Workspace()
    let manager = try Manager(in: workspace)
    let service = try Service(
      workspace, arguments: Service.arguments(workspace),
      wrapper: SmallDisk.wrapper(at: workspace.state),
      environment: ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "2000000"])
    try service.waitUntilReady()
    let disk = SmallDisk(of: service.process, at: workspace.state)
    #expect(Files.names(in: workspace.state) == [], "only the service sees the disk")

    // Its occurrence becomes due while the disk is full.
    let soon = Report.milestone("soon", of: "r0", at: Report.now + .seconds(4))
    #expect(try service.ask("POST", "/v1/events", soon).status == 202)
    try disk.fill()
    let (acknowledged, refused) = try report(to: service)
    try service.waitUntilLogged("the disk is full")
    try manager.wait(for: service) {
      $0.status.contains("disk is full") && $0.status.contains(/recipients due: [1-9]/)
    }
    let pending = try service.ask("GET", "/v1/recipients/r0/pending").body["pending"]
    #expect(pending?.arrayValue?.contains { $0["reminder"] == .string(Report.reminder) } == true)
    let failure = try service.ask("GET", "/v1/status").body["storageFailure"]?.stringValue
    #expect(failure?.contains("the disk is full") == true)
    // Deliveries of earlier events may have been sent.
    var delivered = try service.process.output.takeLines().map { try JSONParser.parse(Array($0)) }
    #expect(!delivered.contains { $0["recipient"] == "r0" })

    try disk.free()
    delivered += try service.deliveries(1 + acknowledged.count - delivered.count)
    #expect(delivered.allSatisfy { $0["reminder"] == .string(Report.reminder) })
    let recipients = ["r0"] + acknowledged.keys.map { "r" + $0.dropFirst() }
    #expect(delivered.compactMap { $0["recipient"]?.stringValue }.sorted() == recipients.sorted())
    try manager.wait(for: service) { !$0.status.contains("disk is full") }
    try service.waitUntilLogged("the disk has room again")
    try expectAll(of: ["soon": soon].merging(acknowledged) { $1 }, in: service, as: "duplicate")
    try expectAll(of: refused, in: service, as: "accepted")
    #expect(manager.messages.contains("WATCHDOG=1"))
    #expect(!manager.messages.contains("WATCHDOG=trigger"))
    #expect(try service.stop() == .exited(0))
  }

  /// A start waits for room, too, with and without an existing store.
  @Test(
    .enabled(
      if: SmallDisk.obstacle == nil, "\(SmallDisk.obstacle ?? "a small disk can be mounted")"),
    arguments: [false, true])
  func `a start waits until the disk has room`(isFirstStart: Bool) throws {
    let workspace = try Workspace()
    if !isFirstStart {
      let first = try Service(workspace)
      try first.waitUntilReady()
      #expect(try first.stop() == .exited(0))
    }
    let manager = try Manager(in: workspace)
    let service = try Service(
      workspace, arguments: Service.arguments(workspace),
      wrapper: SmallDisk.fullWrapper(at: workspace.state),
      environment: ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "2000000"])
    try service.waitUntilLogged("no requests are served until the disk has room again")
    try manager.wait(for: service) {
      $0.status.hasPrefix("waiting for disk space: the disk is full")
    }
    #expect(manager.messages.contains { $0.hasPrefix("EXTEND_TIMEOUT_USEC=") })
    #expect(!service.isReady)
    try SmallDisk(of: service.process, at: workspace.state).free()
    try service.waitUntilReady()
    try manager.wait(for: service) { !$0.status.contains("waiting for disk space") }
    let event = Report.milestone("e1", of: "r1", at: Report.overdue)
    #expect(try service.ask("POST", "/v1/events", event).status == 202)
    #expect(try service.deliveries(1).map { $0["recipient"] } == ["r1"])
    #expect(!manager.messages.contains("WATCHDOG=trigger"))
    #expect(try service.stop() == .exited(0))
  }

  /// Reports events until one is refused.
  ///
  /// - Returns: the acknowledged events and the refused one, by id.
  private func report(
    to service: Service
  ) throws -> (acknowledged: [String: String], refused: [String: String]) {
    var acknowledged: [String: String] = [:]
    for number in 1...1_000 {
      let identifier = "e\(number)"
      let event = Report.milestone(identifier, of: "r\(number)", at: Report.now)
      let reply = try service.ask("POST", "/v1/events", event)
      guard reply.status != 202 else {
        acknowledged[identifier] = event
        continue
      }
      #expect(reply.status == 507)
      #expect(reply.body["type"] == "urn:chimed:problem:storage-full")
      #expect(reply.body["detail"]?.stringValue?.contains("nothing was changed") == true)
      return (acknowledged, [identifier: event])
    }
    throw Failure("the service has accepted every event although the disk is full")
  }

  /// Reports the events again, and expects that the status of each is `status`.
  private func expectAll(
    of events: [String: String], in service: Service, as status: String
  ) throws {
    let batch = Report.batch(events.values.sorted())
    let items = try service.ask("POST", "/v1/events", batch).body["items"]?.arrayValue ?? []
    #expect(items.map { $0["status"] } == events.map { _ in .string(status) })
  }
}
