package import Foundation

/// A directory that lasts as long as the value, with everything in it.
package final class TemporaryDirectory: Sendable {
  package let path: String

  /// A directory on a disk, or wherever the system keeps what is temporary.
  package convenience init() throws {
    try self.init(in: FileManager.default.temporaryDirectory)
  }

  /// One in memory where there is such a place, for tests that sync thousands of times and pull no
  /// plug.
  package static func inMemory() throws -> TemporaryDirectory {
    let memory = "/dev/shm"
    guard FileManager.default.isWritableFile(atPath: memory) else { return try .init() }
    return try TemporaryDirectory(in: URL(filePath: memory))
  }

  private init(in place: URL) throws {
    path = place.appending(path: "chimed-test-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  package func path(of name: String) -> String { path + "/" + name }

  package var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
  }

  // MARK: - Reading

  package func content(of name: String) throws -> Data {
    try Data(contentsOf: URL(filePath: path(of: name)))
  }

  package func text(of name: String) throws -> String {
    try String(contentsOfFile: path(of: name), encoding: .utf8)
  }

  // MARK: - Writing

  /// - Returns: the path of the file.
  @discardableResult
  package func write(_ content: some Sequence<UInt8>, to name: String) throws -> String {
    try Data(content).write(to: URL(filePath: path(of: name)))
    return path(of: name)
  }

  /// - Returns: the path of the file.
  @discardableResult
  package func write(_ text: String, to name: String) throws -> String {
    try write(text.utf8, to: name)
  }

  package func makeDirectory(_ name: String) throws {
    try FileManager.default.createDirectory(
      atPath: path(of: name), withIntermediateDirectories: false)
  }

  package func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: path(of: name), withDestinationPath: target)
  }

  // MARK: - Copying

  /// Copies everything as it is at this moment, as a crash would leave it.
  package func copy(to other: TemporaryDirectory) throws {
    for name in try names { try other.write(content(of: name), to: name) }
  }

  /// The same into a new directory in memory.
  package func copy() throws -> TemporaryDirectory {
    let other = try TemporaryDirectory.inMemory()
    try copy(to: other)
    return other
  }
}
