import Glibc

/// The properties of an output device that matter for layout.
package struct Screen: Equatable, Sendable {
  /// The width in columns; nil if there is no limit, as in a file.
  var width: Int?
  /// The height in lines; nil if there is no limit.
  var height: Int?
  var hasColour = false
  /// Whether the device's content can be overwritten.
  var canRedraw = false

  /// Whether the device is a terminal that is wide enough for day strips.
  var drawsStrips: Bool { canRedraw && (width ?? 0) >= 64 }

  /// The properties of a file or a pipe.
  package static let paper = Screen()

  /// The screen of the running command.
  @TaskLocal package static var current = Screen.paper

  /// A terminal.
  ///
  /// - Parameters:
  ///   - size: in columns and lines; nil if it is unknown.
  ///   - environment: the environment, of which `TERM` and `NO_COLOR` are used.
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
