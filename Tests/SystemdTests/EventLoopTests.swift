import CSystemd
import Glibc
import Testing

/// The C functions of the event loop. No test here waits.
@Suite struct EventLoopTests {
  private let farAway: Int64 = 32_503_680_000  // the year 3000

  @Test(arguments: [(1, 0), (0, 1), (0, 0), (-5, 999_999_999)])
  func `a timer in the past expires at once and only once`(seconds: Int64, nanoseconds: Int32) {
    let timer = chime_timer_open()
    defer { close(timer) }
    #expect(chime_timer_read(timer) == 0)
    #expect(chime_timer_arm(timer, seconds, nanoseconds) == 0)
    #expect(readableCount(timer) == 1)
    #expect(chime_timer_read(timer) == 1)
    #expect(chime_timer_read(timer) == 0)
  }

  @Test func `a timer in the future does not expire`() {
    let timer = chime_timer_open()
    defer { close(timer) }
    #expect(chime_timer_arm(timer, farAway, 0) == 0)
    #expect(readableCount(timer) == 0)
    #expect(chime_timer_read(timer) == 0)
  }

  @Test func `a stopped timer does not expire`() {
    let timer = chime_timer_open()
    defer { close(timer) }
    #expect(chime_timer_arm(timer, 1, 0) == 0)
    #expect(chime_timer_disarm(timer) == 0)
    #expect(readableCount(timer) == 0)
  }

  @Test func `a flag stays raised until it is cleared`() {
    let flag = chime_flag_open()
    defer { close(flag) }
    #expect(chime_flag_clear(flag) == 0)
    #expect(chime_flag_raise(flag) == 0)
    #expect(chime_flag_raise(flag) == 0)
    #expect(readableCount(flag) == 1)
    #expect(chime_flag_clear(flag) == 1)
    #expect(chime_flag_clear(flag) == 0)
  }

  @Test func `a wait returns the tags of the ready descriptors`() {
    let wait = chime_wait_open()
    let flags = (0..<3).map { _ in chime_flag_open() }
    defer { for descriptor in flags + [wait] { close(descriptor) } }
    for (tag, flag) in flags.enumerated() { #expect(chime_wait_add(wait, flag, UInt64(tag)) == 0) }
    #expect(ready(wait) == [])
    _ = chime_flag_raise(flags[0])
    _ = chime_flag_raise(flags[2])
    #expect(ready(wait) == [0, 2])
    #expect(chime_wait_remove(wait, flags[0]) == 0)
    #expect(ready(wait) == [2])
    _ = chime_flag_clear(flags[2])
    #expect(ready(wait) == [])
  }

  @Test func `failures are negative errno values`() {
    #expect(chime_timer_arm(-1, 1, 0) == -EBADF)
    #expect(chime_timer_read(-1) == -EBADF)
    #expect(chime_flag_raise(-1) == -EBADF)
    #expect(chime_flag_clear(-1) == -EBADF)
    #expect(chime_wait_add(-1, 0, 0) == -EBADF)
    #expect(chime_notify("relative", "x", 1, 0) == -EAFNOSUPPORT)
    let long = "/" + String(repeating: "x", count: 107)
    #expect(chime_notify(long, "x", 1, 0) == -ENAMETOOLONG)
    #expect(chime_notify(String(long.dropLast()), "x", 1, 0) == -ENOENT)
  }

  /// Returns 1 if the descriptor is readable now, otherwise 0.
  private func readableCount(_ descriptor: Int32) -> Int32 {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&request, 1, 0)
  }

  private func ready(_ wait: Int32) -> Set<UInt64> {
    var tags = [UInt64](repeating: .max, count: 8)
    let count = chime_wait(wait, &tags, 8, 0)
    return Set(tags.prefix(Int(max(0, count))))
  }
}
