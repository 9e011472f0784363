import CivilTime
import Glibc
import Testing

/// A directory of its own for one test, removed with everything in it when the test ends.
final class TemporaryDirectory {
  let path: String
  /// What was made, in order.
  private var made: [String] = []

  init() throws {
    var template = Array("/tmp/chimed-zones-XXXXXX".utf8CString)
    path = String(cString: try #require(mkdtemp(&template)))
  }

  deinit {
    for name in made.reversed() {
      remove(path + "/" + name)
    }
    remove(path)
  }

  func makeDirectory(_ name: String) throws {
    try #require(mkdir(path + "/" + name, 0o755) == 0)
    made.append(name)
  }

  func link(_ name: String, to target: String) throws {
    try #require(symlink(target, path + "/" + name) == 0)
    made.append(name)
  }

  func write(_ content: [UInt8], to name: String) throws {
    let file = try #require(fopen(path + "/" + name, "w"))
    made.append(name)
    defer { fclose(file) }
    try #require(fwrite(content, 1, content.count, file) == content.count)
  }

  /// Puts the system's file for a zone in the place of another's.
  func copyZone(_ source: String, to name: String) throws {
    try write(Self.content(ofZone: source), to: name)
  }

  static func content(ofZone name: String) throws -> [UInt8] {
    let path = ZoneDatabase.systemDirectory + "/" + name
    let file = try #require(fopen(path, "r"), "\(path)")
    defer { fclose(file) }
    var content = [UInt8](repeating: 0, count: 1 << 20)
    return Array(content[..<fread(&content, 1, content.count, file)])
  }
}
