import CSystemd
import Glibc

/// A flag that one thread waits for and others raise. The timeout of a wait uses the monotonic
/// clock. A semaphore would use the wall clock, which may be set back during the wait.
package final class WakeFlag: Sendable {
  private let flag: Descriptor

  package init() throws(SystemCallError) {
    flag = Descriptor(try SystemCallError.check("open an eventfd", chime_flag_open()))
  }

  package func raise() { _ = chime_flag_raise(flag.number) }

  /// Waits until the flag is raised, then lowers it.
  ///
  /// - Parameter milliseconds: the timeout; nil waits without a limit.
  /// - Returns: whether the flag was raised.
  @discardableResult
  package func wait(milliseconds: Int? = nil) -> Bool {
    var request = pollfd(fd: flag.number, events: Int16(POLLIN), revents: 0)
    let count = poll(&request, 1, milliseconds.map { Int32(clamping: max(0, $0)) } ?? -1)
    return count > 0 && chime_flag_clear(flag.number) == 1
  }
}
