import Systemd
import Testing

@Suite struct SocketLocationTests {
  static let servers: [(environment: [String: String], user: UInt32, path: String)] = [
    (["CHIMED_SOCKET": "/a/b", "RUNTIME_DIRECTORY": "/c"], 0, "/a/b"),
    (["RUNTIME_DIRECTORY": "/run/chimed", "XDG_RUNTIME_DIR": "/d"], 7, "/run/chimed/chimed.sock"),
    (["RUNTIME_DIRECTORY": "/run/a:/run/b"], 7, "/run/a/chimed.sock"),
    (["XDG_RUNTIME_DIR": "/run/user/0"], 0, "/run/chimed/chimed.sock"),
    (["XDG_RUNTIME_DIR": "/run/user/7", "CHIMED_SOCKET": ""], 7, "/run/user/7/chimed.sock"),
    ([:], 7, "/tmp/chimed-7/chimed.sock"),
  ]

  @Test(arguments: servers)
  func `the service's socket follows the environment and the user`(
    environment: [String: String], user: UInt32, path: String
  ) {
    #expect(SocketLocation.server(environment: environment, user: user).path == path)
  }

  @Test func `the service creates only its own directories`() {
    func directory(_ environment: [String: String], _ user: UInt32) -> SocketDirectory? {
      SocketLocation.server(environment: environment, user: user).directory
    }
    #expect(directory([:], 7) == SocketDirectory(path: "/tmp/chimed-7", mode: 0o700))
    #expect(directory([:], 0) == SocketDirectory(path: "/run/chimed", mode: 0o755))
    #expect(directory(["XDG_RUNTIME_DIR": "/run/user/7"], 7) == nil)
    #expect(directory(["RUNTIME_DIRECTORY": "/run/chimed"], 0) == nil)
  }

  static let clients: [(existing: Set<String>, path: String?)] = [
    (
      ["/tmp/chimed-7/chimed.sock", "/x/chimed.sock", "/run/chimed/chimed.sock"],
      "/run/chimed/chimed.sock"
    ),
    (["/tmp/chimed-7/chimed.sock", "/x/chimed.sock"], "/x/chimed.sock"),
    (["/tmp/chimed-7/chimed.sock"], "/tmp/chimed-7/chimed.sock"),
    (["/tmp/chimed-8/chimed.sock"], nil),
  ]

  @Test(arguments: clients)
  func `a client uses the first socket that exists`(existing: Set<String>, path: String?) {
    let location = SocketLocation.client(
      environment: ["XDG_RUNTIME_DIR": "/x"], user: 7, exists: existing.contains)
    #expect(location?.path == path)
  }

  @Test func `a client uses CHIMED_SOCKET even if no socket exists there`() {
    let location = SocketLocation.client(environment: ["CHIMED_SOCKET": "/a"], user: 7) { _ in false
    }
    #expect(location?.path == "/a")
  }

  @Test(arguments: servers.map(\.user))
  func `a client looks at the service's socket too`(user: UInt32) {
    let environment = ["XDG_RUNTIME_DIR": "/run/user/\(user)"]
    let server = SocketLocation.server(environment: environment, user: user).path
    let candidates = SocketLocation.candidates(environment: environment, user: user).map(\.path)
    #expect(candidates.contains(server))
  }
}
