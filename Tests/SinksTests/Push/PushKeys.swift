import Foundation
import Synchronization
import Testing

/// Keys and certificates, made by `openssl` once for a test run.
struct PushKeys: Sendable {
  let directory: String

  static let root = URL(filePath: #filePath).pathComponents.dropLast(4).joined(separator: "/")
    .replacing("//", with: "/")

  /// Those of all tests, which are removed when these end.
  static func shared() async throws -> PushKeys {
    let task = first.withLock { task in
      let known = task ?? Task { try await PushKeys() }
      task = known
      return known
    }
    return try await task.value
  }

  private static let first = Mutex<Task<PushKeys, any Error>?>(nil)

  private static let place =
    FileManager.default.temporaryDirectory.appending(path: "push-\(UUID().uuidString)").path

  /// The certificate of the authority that vouches for the peer.
  var trust: String { directory + "/authority.pem" }

  func text(_ name: String) throws -> String {
    try String(contentsOfFile: directory + "/" + name, encoding: .utf8)
  }

  private init() async throws {
    directory = Self.place
    atexit { try? FileManager.default.removeItem(atPath: PushKeys.place) }
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", Self.script]
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

  private static let script = """
    set -e
    curve="-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
    openssl req -x509 $curve -keyout authority.key -out authority.pem -days 2 -subj /CN=Authority
    openssl req $curve -keyout peer.key -out request -subj /CN=peer
    printf 'subjectAltName=DNS:localhost' >extensions
    openssl x509 -req -in request -CA authority.pem -CAkey authority.key -CAcreateserial \\
      -days 2 -extfile extensions -out peer.pem
    openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out account.key
    openssl pkey -in account.key -pubout -out account.pub
    openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out provider.key
    openssl pkey -in provider.key -pubout -out provider.pub
    openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out stranger.key
    """
}
