import Glibc

/// A file that is there when it is complete, and not before.
final class NewFile {
  let path: String
  private(set) var size = 0
  private var descriptor: Int32
  /// What it is called until then.
  var partial: String { path + ".partial" }

  init(_ path: String) throws(Failure) {
    self.path = path
    guard access(path, F_OK) != 0 else {
      throw Failure(.cannotCreate, "\(path) is there already", hint: "give another name")
    }
    descriptor = open(path + ".partial", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw Failure(
        .cannotCreate, "\(path).partial cannot be made: \(String(cString: strerror(errno)))")
    }
  }

  deinit {
    guard descriptor >= 0 else { return }
    close(descriptor)
    unlink(partial)
  }

  func write(_ bytes: some Collection<UInt8>) throws(Failure) {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw unwritable() }
      size += count
      rest = rest.dropFirst(count)
    }
  }

  /// Syncs the file and gives it its name.
  ///
  /// - Parameter mode: who may read it; its owner alone, unless said otherwise.
  func finish(mode: mode_t = 0o600) throws(Failure) {
    guard fchmod(descriptor, mode) == 0, fsync(descriptor) == 0, rename(partial, path) == 0 else {
      throw unwritable()
    }
    close(descriptor)
    descriptor = -1
  }

  private func unwritable() -> Failure {
    Failure(.inputOutput, "\(path) cannot be written: \(String(cString: strerror(errno)))")
  }
}
