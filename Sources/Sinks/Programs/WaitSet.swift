import CSystemd
import Glibc
import Systemd

/// Descriptors that one thread waits on together, each known by a number.
final class WaitSet: Sendable {
  private let descriptor: Int32

  init() throws(SystemCallError) {
    descriptor = try SystemCallError.check("open an epoll", chime_wait_open())
  }

  deinit { close(descriptor) }

  /// - Parameter isWriting: waits for room to write in place of something to read.
  func add(_ other: Int32, tag: UInt64, isWriting: Bool = false) throws(SystemCallError) {
    let result =
      isWriting
      ? chime_wait_add_writing(descriptor, other, tag) : chime_wait_add(descriptor, other, tag)
    _ = try SystemCallError.check("wait for a descriptor", result)
  }

  /// To be called before the descriptor is closed.
  func remove(_ other: Int32) {
    _ = chime_wait_remove(descriptor, other)
  }

  /// The numbers of those that have something to say; none once the time has come.
  func wait(until deadline: MonotonicInstant?) -> [UInt64] {
    var tags = [UInt64](repeating: 0, count: 16)
    let count = chime_wait(descriptor, &tags, Int32(tags.count), Self.milliseconds(until: deadline))
    return Array(tags.prefix(Int(max(0, count))))
  }

  /// Rounded up: who is woken too early has to wait again.
  private static func milliseconds(until deadline: MonotonicInstant?) -> Int32 {
    guard let deadline else { return -1 }
    let rest = MonotonicInstant.now.duration(to: deadline)
    return rest <= .zero ? 0 : Int32(clamping: Int64(rest / .milliseconds(1)) + 1)
  }
}
