import Glibc

/// What is typed while a screen is drawn: it is read at once and not shown. Control-C and the like
/// do what they always do.
///
/// There is one at a time, as there is one standard input.
struct Keys {
  /// How the terminal treated what is typed before; nil where standard input is none, or where it
  /// is another program's for now.
  nonisolated(unsafe) private static var before: termios?

  /// All that a handler of a signal may do.
  static func begin() {
    var modes = termios()
    guard tcgetpgrp(STDIN_FILENO) == getpgrp(), tcgetattr(STDIN_FILENO, &modes) == 0 else { return }
    if before == nil { before = modes }
    modes.c_lflag &= ~tcflag_t(ICANON | ECHO)
    tcsetattr(STDIN_FILENO, TCSANOW, &modes)
  }

  /// Puts things back as they were. A handler of a signal may do it.
  static func end() {
    guard var modes = before else { return }
    tcsetattr(STDIN_FILENO, TCSANOW, &modes)
  }

  /// Waits, but no longer than until "q" is typed.
  ///
  /// - Returns: whether it was.
  static func quits(before due: ContinuousClock.Instant) async throws -> Bool {
    while before != nil {
      let left = ContinuousClock.now.duration(to: due).components
      let milliseconds = left.seconds * 1_000 + left.attoseconds / 1_000_000_000_000_000
      guard milliseconds > 0 else { return false }
      var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
      guard poll(&input, 1, Int32(clamping: milliseconds)) > 0 else { continue }
      var key: UInt8 = 0
      guard read(STDIN_FILENO, &key, 1) == 1 else { break }
      if key == UInt8(ascii: "q") || key == UInt8(ascii: "Q") { return true }
    }
    try await Task.sleep(until: due, clock: .continuous)
    return false
  }
}
