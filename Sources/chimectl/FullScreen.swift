import Glibc

/// The whole of a terminal, to be drawn on again and again. What was on it before is there again
/// when it is left, by whichever way: at the end, by Control-C, or while the program is suspended.
///
/// There is one at a time, as there is one standard output.
struct FullScreen {
  /// The second screen that terminals have, without its cursor.
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

  /// Has a program that draws nothing end by Control-C as one that does.
  static func endQuietly() {
    for ending in [SIGINT, SIGTERM] { signal(ending) { _ in _exit(0) } }
  }

  /// Draws over what is there, as much as there is room for.
  func draw(_ text: String) {
    let height = Console.screen.height ?? .max
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).prefix(height)
    // To the end of each line, and then of the screen, nothing stays of before.
    let drawn = lines.joined(separator: "\u{1b}[K\n") + "\u{1b}[K\u{1b}[J"
    Console.passOn("\u{1b}[H" + drawn)
  }

  func leave() {
    for ending in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT] { signal(ending, SIG_DFL) }
    Self.put(Self.leaving)
    Keys.end()
  }

  /// All that a handler of a signal may do.
  private static func put(_ text: StaticString) {
    _ = write(STDOUT_FILENO, text.utf8Start, text.utf8CodeUnitCount)
  }
}
