import CSystemd
import Glibc

/// What one thread waits for, and others raise. How long it waits is measured by a clock that
/// nobody sets: a semaphore's deadline is the wall clock's, which may be set back meanwhile.
package final class WakeFlag: Sendable {
  private let flag: Descriptor

  package init() throws(SystemCallError) {
    flag = Descriptor(try SystemCallError.check("open an eventfd", chime_flag_open()))
  }

  package func raise() { _ = chime_flag_raise(flag.number) }

  /// Waits until it is raised, and lowers it.
  ///
  /// - Parameter milliseconds: how long at most; nil for as long as it takes.
  /// - Returns: whether it was raised.
  @discardableResult
  package func wait(milliseconds: Int? = nil) -> Bool {
    var request = pollfd(fd: flag.number, events: Int16(POLLIN), revents: 0)
    let count = poll(&request, 1, milliseconds.map { Int32(clamping: max(0, $0)) } ?? -1)
    return count > 0 && chime_flag_clear(flag.number) == 1
  }
}
