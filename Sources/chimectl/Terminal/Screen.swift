import Glibc

/// The properties of an output device that matter for layout.
package struct Screen: Equatable, Sendable {
  /// In columns; nil without a limit, as in a file.
  var width: Int?
  /// In lines; nil without a limit.
  var height: Int?
  var hasColour = false
  /// Whether its content can be overwritten.
  var canRedraw = false

  /// Whether it is a terminal with enough width for day strips.
  var drawsStrips: Bool { canRedraw && (width ?? 0) >= 64 }

  /// A file or a pipe.
  package static let paper = Screen()

  /// The screen of the running command.
  @TaskLocal package static var current = Screen.paper

  /// A terminal.
  ///
  /// - Parameters:
  ///   - size: in columns and lines; nil if it is unknown.
  ///   - environment: the variables `TERM` and `NO_COLOR` count.
  static func terminal(
    size: (columns: Int, lines: Int)?, environment: [String: String]
  ) -> Screen {
    let isPlain = ["", "dumb"].contains(environment["TERM"] ?? "")
    let isColourless = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
    return Screen(
      width: size?.columns, height: size?.lines, hasColour: !isPlain && !isColourless,
      canRedraw: !isPlain)
  }
}

/// The style of highlighted text.
package enum Style: Int {
  case strong = 1
  case faint = 2
  case bad = 31
  case good = 32
  case doubtful = 33

  /// Adds the terminal's control sequences to a text; returns it unchanged without colours.
  func mark(_ text: String, on screen: Screen) -> String {
    guard screen.hasColour, !text.isEmpty else { return text }
    return "\u{1b}[\(rawValue)m\(text)\u{1b}[0m"
  }
}

/// The whole terminal, drawn repeatedly. The previous content returns when the program ends, also
/// by Control-C, or while it is suspended.
///
/// Use one at a time, because there is one standard output.
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

  /// Makes Control-C end a program without a screen with the exit code 0, too.
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

  /// Async-signal-safe.
  private static func put(_ text: StaticString) {
    _ = write(STDOUT_FILENO, text.utf8Start, text.utf8CodeUnitCount)
  }
}
