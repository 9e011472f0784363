import Glibc
import TestSupport
import Testing

@testable import API

@Suite(.timeLimit(.minutes(1))) struct SocketFileTests {
  private func mode(_ path: String) -> mode_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o777 : nil
  }

  private func tryToBind(_ socket: Int32, to path: String) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
  }

  @Test func `the socket is for its owner and group, and removed at the end`() async throws {
    var socket = ""
    try await TestServer.serving(FakeService()) { server in
      socket = server.socket
      #expect(mode(server.socket) == 0o660)
    }
    #expect(mode(socket) == nil)
  }

  @Test func `the stale socket of a dead process is replaced`() async throws {
    try await TemporaryDirectory.with { directory in
      let path = directory + "/s"
      let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      #expect(tryToBind(socket, to: path))
      #expect(listen(socket, 1) == 0)
      close(socket)
      #expect(mode(path) != nil)
      try SocketFile(path: path).removeStaleFile()
      #expect(mode(path) == nil)
    }
  }

  @Test func `a socket with a listener is left alone`() async throws {
    try await TestServer.serving(FakeService()) { server in
      let second = APIServer(
        service: try FakeService(), socket: server.socket, logger: TestServer.logger,
        now: { Fixtures.now }, whenBound: { _ in })
      let error = await #expect(throws: SocketFileError.self) { try await second.run() }
      #expect(
        error?.description == "\(server.socket) is in use by another process; "
          + "stop that one or choose another path")
      #expect(try await server.get("/healthz").status == 200)
    }
  }

  @Test func `a file that is no socket is left alone`() async throws {
    try await TemporaryDirectory.with { directory in
      let path = directory + "/s"
      #expect(creat(path, 0o600) >= 0)
      defer { remove(path) }
      let error = #expect(throws: SocketFileError.self) {
        try SocketFile(path: path).removeStaleFile()
      }
      #expect(error?.description.contains("exists and is not a socket") == true)
      #expect(mode(path) == 0o600)
    }
  }

  @Test func `a socket path that is too long is refused`() {
    let path = "/tmp/" + String(repeating: "a", count: 103)
    let error = #expect(throws: SocketFileError.self) {
      try SocketFile(path: path).removeStaleFile()
    }
    #expect(error?.description.contains("is longer than 107 bytes") == true)
  }

  @Test func `a missing directory is named in the error`() async throws {
    let server = APIServer(
      service: try FakeService(), socket: "/tmp/chimed-test-none/s", logger: TestServer.logger,
      now: { Fixtures.now }, whenBound: { _ in })
    let error = await #expect(throws: SocketFileError.self) { try await server.run() }
    #expect(
      error?.description
        == "/tmp/chimed-test-none/s cannot be bound: No such file or directory")
  }

  @Test func `a file that has replaced the socket is left alone at the end`() async throws {
    try await TestServer.serving(FakeService()) { server in
      #expect(unlink(server.socket) == 0)
      #expect(creat(server.socket, 0o600) >= 0)
      await server.stop()
      #expect(mode(server.socket) == 0o600)
      remove(server.socket)
    }
  }
}
