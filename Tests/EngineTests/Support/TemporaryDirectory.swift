import Foundation

/// A directory that lasts as long as the value, with everything in it; in memory where there is
/// such a place, for the tests sync thousands of times and pull no plug.
final class TemporaryDirectory: Sendable {
  let path: String

  init() throws {
    let memory = "/dev/shm"
    let isThere = FileManager.default.isWritableFile(atPath: memory)
    let place = isThere ? URL(filePath: memory) : FileManager.default.temporaryDirectory
    path = place.appending(path: "chimed-engine-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  func text(of name: String) throws -> String {
    try String(contentsOfFile: path + "/" + name, encoding: .utf8)
  }

  /// Everything as it is at this moment, as a crash would leave it.
  func copy() throws -> TemporaryDirectory {
    let other = try TemporaryDirectory()
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      let content = try Data(contentsOf: URL(filePath: path + "/" + name))
      try content.write(to: URL(filePath: other.path + "/" + name))
    }
    return other
  }
}
