import Foundation
import Synchronization
import Testing

/// Keys and certificates, made by `openssl` once for a test run.
struct PushKeys: Sendable {
  let directory: String

  static let root = URL(filePath: #filePath).pathComponents.dropLast(4).joined(separator: "/")
    .replacing("//", with: "/")

  /// The keys shared by all tests, removed when the tests end.
  static func shared() async throws -> PushKeys {
    let task = sharedTask.withLock { task in
      let current = task ?? Task { try await PushKeys() }
      task = current
      return current
    }
    return try await task.value
  }

  private static let sharedTask = Mutex<Task<PushKeys, any Error>?>(nil)

  private static let temporaryDirectory =
    FileManager.default.temporaryDirectory.appending(path: "push-\(UUID().uuidString)").path

  /// The path of the certificate of the authority that signed the peer's certificate.
  var trust: String { directory + "/authority.pem" }

  func text(_ name: String) throws -> String {
    try String(contentsOfFile: directory + "/" + name, encoding: .utf8)
  }

  private init() async throws {
    directory = Self.temporaryDirectory
    atexit { try? FileManager.default.removeItem(atPath: PushKeys.temporaryDirectory) }
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = [Self.root + "/Tests/SinksTests/Peers/push_keys.sh"]
    process.currentDirectoryURL = URL(filePath: directory)
    process.standardError = FileHandle.nullDevice
    let status = try await withCheckedThrowingContinuation { continuation in
      process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
      do {
        try process.run()
      } catch {
        continuation.resume(throwing: error)
      }
    }
    try #require(status == 0, "openssl failed; is it installed?")
  }
}
