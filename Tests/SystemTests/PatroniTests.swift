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
    // The timeout is longer than the limit in the script, so that the script can remove its
    // servers.
    let (ending, text) = try SoakTests.run(
      "patroni.py", ["--program", Project.chimed], timeout: 600)
    print(text)
    #expect(ending == .exited(0), "\(text)")
  }
}
