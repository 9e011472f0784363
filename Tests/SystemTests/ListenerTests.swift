import Glibc
import JSON
import Testing

/// Rule S1: a service that cannot listen logs the reason and ends by itself, without a delivery.
@OwnThread @Suite struct ListenerTests {
  private let workspace: Workspace

  init() throws {
    workspace = try Workspace()
  }

  @Test func `S1: a socket in use ends the start`() throws {
    let other = try CannedServer(at: workspace.path + "/other", answering: nil)
    try expectRefusal(
      "\(other.path) is in use by another process; stop that one or choose another path",
      Service.arguments(workspace, socket: other.path))
    #expect(Files.names(in: workspace.path).contains("other"), "the other socket is gone")
  }

  @Test func `S1: a port in use ends the start`() throws {
    let others = try Workspace()
    let port = try FreePort.any()
    let listen = ["--listen", "127.0.0.1:\(port)"]
    let other = try Service(others, arguments: Service.arguments(others) + listen)
    try other.waitUntilReady()
    try expectRefusal(
      "127.0.0.1:\(port) cannot be bound; choose another address with --listen: Address already",
      Service.arguments(workspace) + listen)
    #expect(!Files.names(in: workspace.path).contains("socket"))
    #expect(try other.stop() == .exited(0))
  }

  @Test func `S1: an address of another machine ends the start`() throws {
    try expectRefusal(
      "192.0.2.1:7999 cannot be bound",
      Service.arguments(workspace) + ["--listen", "192.0.2.1:7999"])
  }

  @Test func `S1: a missing directory ends the start`() throws {
    let socket = workspace.path + "/nowhere/socket"
    try expectRefusal(socket, Service.arguments(workspace, socket: socket))
  }

  @Test func `S1: an ordinary file at the socket's path ends the start`() throws {
    let diary = workspace.path + "/diary"
    try Files.write("Dear diary", to: diary)
    try expectRefusal(
      "\(diary) exists and is not a socket", Service.arguments(workspace, socket: diary))
    #expect(try Files.read(diary) == Array("Dear diary".utf8))
  }

  /// Expects that a start fails with a reason and sends nothing, although a delivery is due.
  private func expectRefusal(
    _ reason: String, _ arguments: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try leaveDueDelivery()
    let refused = try Service(workspace, arguments: arguments)
    while !refused.isReady && !refused.hasEnded { try refused.readOutput() }
    let ending = try refused.process.finish()
    #expect(ending == .exited(71), "\(refused.log)", sourceLocation: sourceLocation)
    #expect(refused.log.contains(reason), "\(refused.log)", sourceLocation: sourceLocation)
    let deliveries = refused.process.output.takeLines()
    #expect(deliveries.isEmpty, "the service has delivered", sourceLocation: sourceLocation)
    let next = try Service(workspace)
    #expect(try next.deliveries(1).first?["recipient"] == "r1", sourceLocation: sourceLocation)
    #expect(try next.stop() == .exited(0), sourceLocation: sourceLocation)
  }

  /// Stops a service whose sink has failed, so that the next start has a delivery to send.
  private func leaveDueDelivery() throws {
    let service = try Service(workspace, sink: .full)
    try service.waitUntilReady()
    let event = Report.milestone("e1", of: "r1", at: Report.overdue)
    #expect(try service.ask("POST", "/v1/events", event).status == 202)
    try service.waitUntilLogged("is down")
    #expect(try service.stop() == .exited(0))
  }
}
