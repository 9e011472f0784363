import Glibc

/// What a text is shown on, as far as that has a bearing on how the text is laid out.
package struct Screen: Equatable, Sendable {
  /// In columns; nil where nothing has to be cut, as in a file.
  var width: Int?
  /// In lines; nil where there may be any number of them.
  var height: Int?
  var hasColour = false
  /// Whether what it shows can be drawn over.
  var canRedraw = false

  /// Whether there is room for a drawing, and somebody to look at it.
  var drawsStrips: Bool { canRedraw && (width ?? 0) >= 64 }

  /// A file or a pipe.
  package static let paper = Screen()

  /// What the command that runs is shown on.
  @TaskLocal package static var current = Screen.paper

  /// A terminal.
  ///
  /// - Parameters:
  ///   - size: in columns and lines; nil if the terminal does not tell it.
  ///   - environment: of which `TERM` and `NO_COLOR` count.
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

/// How a text stands out from the others.
package enum Style: Int {
  case strong = 1
  case faint = 2
  case bad = 31
  case good = 32
  case doubtful = 33

  /// The text with what a terminal needs to show it so; as it is where there are no colours.
  func mark(_ text: String, on screen: Screen) -> String {
    guard screen.hasColour, !text.isEmpty else { return text }
    return "\u{1b}[\(rawValue)m\(text)\u{1b}[0m"
  }
}

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
