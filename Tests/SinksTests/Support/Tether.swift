import Glibc
import Testing

/// A named pipe by which a test is told that a process has ended: the process holds it open.
final class Tether {
  let path: String
  private let descriptor: Int32

  /// How many milliseconds a test waits before it takes it that nothing will happen.
  private static let patience: Int32 = 20_000

  init(in directory: TemporaryDirectory, _ name: String = "tether") throws {
    path = directory.path + "/" + name
    try #require(mkfifo(path, 0o600) == 0)
    descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    try #require(descriptor >= 0)
  }

  deinit { close(descriptor) }

  /// Whether somebody has written a line; waits for it.
  func isHeld() -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&request, 1, Self.patience) == 1, request.revents & Int16(POLLIN) != 0 else {
      return false
    }
    var byte: UInt8 = 0
    while read(descriptor, &byte, 1) == 1, byte != UInt8(ascii: "\n") {}
    return byte == UInt8(ascii: "\n")
  }

  /// Whether nobody holds it any more; waits for it.
  func isLetGo() -> Bool {
    var request = pollfd(fd: descriptor, events: 0, revents: 0)
    return poll(&request, 1, Self.patience) == 1 && request.revents & Int16(POLLHUP) != 0
  }
}
