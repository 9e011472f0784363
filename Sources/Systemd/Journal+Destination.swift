import Glibc

extension Journal.Destination {
  /// journald, if standard error is the stream that $JOURNAL_STREAM names.
  ///
  /// The variable alone proves nothing: whoever redirects standard error leaves it in place.
  package static func inherited() -> Journal.Destination {
    var status = stat()
    guard let variable = getenv("JOURNAL_STREAM"), fstat(STDERR_FILENO, &status) == 0 else {
      return .lines(STDERR_FILENO)
    }
    let isStream = matches(
      String(cString: variable), device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    return isStream ? .journald : .lines(STDERR_FILENO)
  }

  /// Whether `device:inode`, both in decimal, names this file (systemd.exec(5), $JOURNAL_STREAM).
  package static func matches(_ variable: String, device: UInt64, inode: UInt64) -> Bool {
    variable == "\(device):\(inode)"
  }
}
