/// What a text is shown on, as far as that has a bearing on how the text is laid out.
package struct Screen: Equatable, Sendable {
  /// In columns; nil where nothing has to be cut, as in a file.
  var width: Int?
  /// In lines; nil where there may be any number of them.
  var height: Int?
  var hasColour = false
  /// Whether what it shows can be drawn over.
  var canRedraw = false

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
