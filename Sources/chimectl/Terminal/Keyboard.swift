import Glibc

/// Reads the keyboard immediately and without echo, while a screen is drawn. Control-C and other
/// signals work as usual.
///
/// Only one caller may use this at a time, because there is one standard input.
struct Keyboard {
  /// The terminal's original modes; nil if standard input is no terminal, or this is a background
  /// job.
  nonisolated(unsafe) private static var originalModes: termios?

  /// Makes the terminal pass on each key immediately and without echo; async-signal-safe.
  static func begin() {
    var modes = termios()
    guard tcgetpgrp(STDIN_FILENO) == getpgrp(), tcgetattr(STDIN_FILENO, &modes) == 0 else { return }
    if originalModes == nil { originalModes = modes }
    modes.c_lflag &= ~tcflag_t(ICANON | ECHO)
    tcsetattr(STDIN_FILENO, TCSANOW, &modes)
  }

  /// Restores the terminal's modes; async-signal-safe.
  static func end() {
    guard var modes = originalModes else { return }
    tcsetattr(STDIN_FILENO, TCSANOW, &modes)
  }

  /// Waits until "q" is typed or the deadline is reached.
  ///
  /// - Returns: whether "q" was typed.
  static func waitForQuit(before due: ContinuousClock.Instant) async throws -> Bool {
    while originalModes != nil {
      let remaining = ContinuousClock.now.duration(to: due).components
      let milliseconds = remaining.seconds * 1_000 + remaining.attoseconds / 1_000_000_000_000_000
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
