import Foundation

/// A directory of its own for one test, removed with everything in it when the test ends.
final class TemporaryDirectory {
  let path: String

  init() throws {
    let name = "chimed-holidays-\(UUID().uuidString)"
    path = FileManager.default.temporaryDirectory.appendingPathComponent(name).path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  func path(of name: String) -> String { path + "/" + name }

  @discardableResult
  func write(_ text: String, to name: String) throws -> String {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path(of: name)))
    return path(of: name)
  }
}
