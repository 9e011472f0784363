import Glibc

/// The whole terminal, drawn repeatedly. The previous content returns when the program ends, even
/// by Control-C, and while the program is suspended.
///
/// Use only one full screen at a time, because there is one standard output.
struct FullScreen {
  /// Switches to the terminal's alternate screen, without a cursor.
  private static let entering: StaticString = "\u{1b}[?1049h\u{1b}[?25l"
  private static let leaving: StaticString = "\u{1b}[?25h\u{1b}[?1049l"

  init() {
    Keys.begin()
    for ending in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
      signal(ending) { _ in
        FullScreen.put(FullScreen.leaving)
        Keys.end()
        _exit(0)
      }
    }
    signal(SIGTSTP) { _ in
      FullScreen.put(FullScreen.leaving)
      Keys.end()
      kill(getpid(), SIGSTOP)
    }
    signal(SIGCONT) { _ in
      Keys.begin()
      FullScreen.put(FullScreen.entering)
    }
    Self.put(Self.entering)
  }

  /// Makes Control-C end the program with the exit code 0, also without a full screen.
  static func endQuietly() {
    for ending in [SIGINT, SIGTERM] { signal(ending) { _ in _exit(0) } }
  }

  /// Draws over the current content, up to the screen's height.
  func draw(_ text: String) {
    let height = Console.screen.height ?? .max
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).prefix(height)
    // Clear the rest of each line, and of the screen.
    let drawn = lines.joined(separator: "\u{1b}[K\n") + "\u{1b}[K\u{1b}[J"
    Console.passOn("\u{1b}[H" + drawn)
  }

  func leave() {
    for ending in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT] { signal(ending, SIG_DFL) }
    Self.put(Self.leaving)
    Keys.end()
  }

  /// Writes a text to standard output; async-signal-safe.
  private static func put(_ text: StaticString) {
    _ = write(STDOUT_FILENO, text.utf8Start, text.utf8CodeUnitCount)
  }
}
