import Glibc

/// Waiting for descriptors, with a limit after which a test fails.
enum Poll {
  struct NothingHappened: Error, CustomStringConvertible {
    let seconds: Int32
    var log = ""

    var description: String {
      "nothing happened for \(seconds) s" + (log.isEmpty ? "" : "; the service's log:\n\(log)")
    }
  }

  /// The seconds that a test waits until it assumes that nothing will happen.
  static let timeout: Int32 = 120

  /// Waits until a descriptor is readable or writable.
  ///
  /// - Returns: the descriptors that are readable or writable, or whose other end is closed.
  /// - Throws: at the timeout.
  static func wait(
    reading: [Int32], writing: [Int32] = [], timeout: Int32 = timeout
  ) throws -> Set<Int32> {
    var requests = reading.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    requests += writing.map { pollfd(fd: $0, events: Int16(POLLOUT), revents: 0) }
    let count = poll(&requests, nfds_t(requests.count), timeout * 1_000)
    guard try Failure.check("poll", count) > 0 else { throw NothingHappened(seconds: timeout) }
    return Set(requests.filter { $0.revents != 0 }.map(\.fd))
  }

  static func isReadable(_ descriptor: Int32) throws -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return try Failure.check("poll", poll(&request, 1, 0)) > 0
  }
}
