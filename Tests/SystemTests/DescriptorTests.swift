import JSON
import Testing

/// Rule H6 for the running program: descriptors that clients use are freed again.
@OwnThread @Suite struct DescriptorTests {
  private static let limit = 64

  @Test func `H6: a client that takes all descriptors blocks others only while it has them`() throws
  {
    let workspace = try Workspace()
    let service = try Service(
      workspace, arguments: Service.arguments(workspace),
      wrapper: ["/bin/sh", "-c", "ulimit -n \(Self.limit); exec \"$@\"", "sh"])
    try service.waitUntilReady()
    var connections: [Connection] = []
    for _ in 0..<2 * Self.limit { connections.append(try Connection(to: workspace.socket)) }
    for connection in connections {
      connection.begin("GET", "/healthz")
      _ = connection.send(upTo: .max)
    }
    let directory = "/proc/\(service.process.identifier)/fd"
    while Files.names(in: directory).count < Self.limit {
      try service.readOutput(connections)
      for connection in connections { _ = try connection.receive() }
    }
    connections = []
    #expect(try service.ask("GET", "/healthz").status == 200)
    #expect(try service.stop() == .exited(0))
  }
}
