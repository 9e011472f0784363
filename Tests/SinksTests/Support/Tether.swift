import Foundation
import Glibc
import TestSupport
import Testing

/// A named pipe that a process holds open, so that a test notices the end of the process.
final class Tether: Sendable {
  let path: String
  private let descriptor: Int32

  /// The timeout of each wait, in milliseconds.
  private static let timeout: Int32 = 20_000

  init(in directory: TemporaryDirectory, _ name: String = "tether") throws {
    path = directory.path + "/" + name
    try #require(mkfifo(path, 0o600) == 0)
    descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    try #require(descriptor >= 0)
  }

  deinit { close(descriptor) }

  /// Waits until a process has opened the pipe and written a line, and returns whether that has
  /// happened.
  func waitUntilHeld() async -> Bool {
    await onOwnThread { tether in
      guard tether.poll(Int16(POLLIN)) & Int16(POLLIN) != 0 else { return false }
      var byte: UInt8 = 0
      while read(tether.descriptor, &byte, 1) == 1, byte != UInt8(ascii: "\n") {}
      return byte == UInt8(ascii: "\n")
    }
  }

  /// Waits until no process holds the pipe open, and returns whether that has happened.
  func waitUntilReleased() async -> Bool {
    await onOwnThread { $0.poll(0) & Int16(POLLHUP) != 0 }
  }

  /// The events that occurred; none at the timeout.
  private func poll(_ events: Int16) -> Int16 {
    var request = pollfd(fd: descriptor, events: events, revents: 0)
    return Glibc.poll(&request, 1, Self.timeout) == 1 ? request.revents : 0
  }

  /// Waits on its own thread, because the pool has few threads and the awaited work needs them.
  private func onOwnThread(_ wait: @escaping @Sendable (Tether) -> Bool) async -> Bool {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: wait(self)) }
    }
  }
}
