package import Foundation

/// A directory that is removed with this object.
package final class TemporaryDirectory: Sendable {
  package let path: String

  /// Creates a directory in the system's directory for temporary files.
  package convenience init() throws {
    try self.init(in: FileManager.default.temporaryDirectory)
  }

  /// Creates a directory in memory if possible, for tests that sync thousands of times.
  package static func inMemory() throws -> TemporaryDirectory {
    let memory = "/dev/shm"
    guard FileManager.default.isWritableFile(atPath: memory) else { return try .init() }
    return try TemporaryDirectory(in: URL(filePath: memory))
  }

  private init(in parent: URL) throws {
    path = parent.appending(path: "chimed-test-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  package func path(of name: String) -> String { path + "/" + name }

  /// The names of the files in the directory, sorted.
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

  // MARK: - Programs

  /// Runs a shell script in this directory.
  ///
  /// - Throws: the script's messages if one of the commands fails.
  package func run(_ script: String) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-e", "-c", "exec 2>messages\n" + script]
    process.currentDirectoryURL = URL(filePath: path)
    try process.run()
    process.waitUntilExit()
    if process.terminationStatus != 0 { throw ScriptError(description: try text(of: "messages")) }
  }

  private struct ScriptError: Error, CustomStringConvertible {
    let description: String
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

  /// Creates a symbolic link in this directory.
  package func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: path(of: name), withDestinationPath: target)
  }

  // MARK: - Copying

  /// Copies the files in their current state, as a crash would leave them.
  package func copy(to other: TemporaryDirectory) throws {
    for name in try names { try other.write(content(of: name), to: name) }
  }

  /// Copies the files into a new directory in memory.
  package func copy() throws -> TemporaryDirectory {
    let other = try TemporaryDirectory.inMemory()
    try copy(to: other)
    return other
  }
}
