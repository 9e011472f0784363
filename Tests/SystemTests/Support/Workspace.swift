import Glibc

/// A directory for a service and its files, which lasts as long as this object.
final class Workspace {
  let path: String

  init() throws {
    var template = Array("/tmp/chimed-system-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Failure("no directory can be created in /tmp") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    _ = try Failure.check("mkdir", mkdir(state, 0o700))
  }

  deinit {
    Self.remove(path)
  }

  private static func remove(_ path: String) {
    guard unlink(path) != 0 else { return }
    for name in Files.names(in: path) { remove(path + "/" + name) }
    rmdir(path)
  }

  /// The state directory.
  var state: String { path + "/state" }
  var database: String { state + "/chimed.sqlite" }
  var socket: String { path + "/socket" }
  /// The file for deliveries, if they go to a file.
  var deliveries: String { path + "/deliveries" }
}
