import Foundation
import PostgresServer
import Testing

/// A fleet on two PostgreSQL servers under Patroni, which `chimed-fleet(7)` describes.
@OwnThread @Suite struct PatroniTests {
  private nonisolated static let isInstalled = ["patroni", "etcd"].allSatisfy {
    FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)")
  }

  @Test(
    .enabled(if: PostgresServer.isAvailable, Comment(rawValue: PostgresServer.comment)),
    .enabled(if: isInstalled, "the Debian packages patroni and etcd-server are not installed"))
  func `D1: acknowledged events survive a switchover and a failover by Patroni`() throws {
    let process = try ChildProcess(
      "/usr/bin/python3",
      ["-B", Project.root + "/Tests/SystemTests/Soak/patroni.py", "--program", Project.chimed],
      environment: ["HOME": "/nonexistent", "PATH": "/usr/bin:/bin"])
    let ending = try process.finish(patience: 600)
    let text = String(decoding: process.output.take() + process.errors.take(), as: UTF8.self)
    print(text)
    #expect(ending == .exited(0), "\(text)")
  }
}
