import Access
import Glibc
import TestSupport
import Testing

@testable import API

/// Rule H1: sockets that a service manager has opened are adopted.
@Suite struct AdoptionTests {
  @Test func `an adopted TCP socket replaces the configured listener`() async throws {
    let socket = try ListeningSocket(at: try #require(TCPAddress("127.0.0.1:0")))
    try await TestServer.serving(
      FakeService(), listen: TCPAddress("127.0.0.1:1"), adopted: [socket.descriptor]
    ) { server in
      #expect(server.addresses == [server.socket, socket.address])
      let reply = try await server.call("GET", "/healthz", isOverTCP: true)
      #expect(reply.status == 200)
    }
  }

  @Test func `an adopted Unix socket is the only Unix listener`() async throws {
    try await TemporaryDirectory.with { directory in
      let file = SocketFile(path: directory + "/other")
      let socket = try file.listen(mode: 0o660)
      defer { file.remove() }
      try await TestServer.serving(FakeService(), adopted: [socket]) { server in
        #expect(server.addresses == [directory + "/other"])
        #expect(access(server.socket, F_OK) != 0)
      }
      #expect(access(directory + "/other", F_OK) == 0)
    }
  }

  @Test func `a descriptor that does not listen is not adopted`() throws {
    let device = open("/dev/null", O_RDONLY)
    let unbound = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    defer { for descriptor in [device, unbound] { close(descriptor) } }
    for descriptor in [device, unbound] {
      let error = #expect(throws: ListenError.self) { try ListeningSocket(adopting: descriptor) }
      #expect(error?.description.contains("use ListenStream= in the socket unit") == true)
    }
  }
}
