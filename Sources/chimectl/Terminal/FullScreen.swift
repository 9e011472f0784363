import Glibc

/// The whole terminal, drawn repeatedly. The previous content is shown again while the program is
/// suspended, and when it ends, even by Control-C.
///
/// Use only one full screen at a time, because there is one standard output.
struct FullScreen {
  /// Switches to the terminal's alternate screen, without a cursor.
  private static let entering: StaticString = "\u{1b}[?1049h\u{1b}[?25l"
  private static let leaving: StaticString = "\u{1b}[?25h\u{1b}[?1049l"

  init() {
    Keyboard.begin()
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
      signal(number) { _ in
        FullScreen.put(FullScreen.leaving)
        Keyboard.end()
        _exit(0)
      }
    }
    signal(SIGTSTP) { _ in
      FullScreen.put(FullScreen.leaving)
      Keyboard.end()
      kill(getpid(), SIGSTOP)
    }
    signal(SIGCONT) { _ in
      Keyboard.begin()
      FullScreen.put(FullScreen.entering)
    }
    Self.put(Self.entering)
  }

  /// Makes Control-C end the program with the exit code 0, also without a full screen.
  static func endQuietly() {
    for number in [SIGINT, SIGTERM] { signal(number) { _ in _exit(0) } }
  }

  /// Draws over the current content, up to the screen's height.
  func draw(_ text: String) {
    let height = Console.screen.height ?? .max
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).prefix(height)
    // Clear the rest of each line, and of the screen.
    let output = lines.joined(separator: "\u{1b}[K\n") + "\u{1b}[K\u{1b}[J"
    Console.printPart("\u{1b}[H" + output)
  }

  func leave() {
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT] { signal(number, SIG_DFL) }
    Self.put(Self.leaving)
    Keyboard.end()
  }

  /// Writes a text to standard output; async-signal-safe.
  private static func put(_ text: StaticString) {
    _ = write(STDOUT_FILENO, text.utf8Start, text.utf8CodeUnitCount)
  }
}
