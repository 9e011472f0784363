/// A text with which a person replies to a message (rules D14, D15).
package struct Reply: Hashable, Sendable {
  /// A request that every service of text messages must understand.
  package enum Command: Hashable, Sendable {
    /// Send no more text messages.
    case stop
    /// Send text messages again.
    case start
    case help
  }

  /// The words without case, marks and signs, separated by spaces.
  private let exactText: String
  /// The same with one form of the letter alef.
  private let text: String
  /// The whole text without spaces at its ends.
  private let whole: String

  package init(_ text: String) {
    let scalars = text.lowercased().unicodeScalars.filter { !Self.isMark($0) }
    let words = String(String.UnicodeScalarView(scalars))
      .split { !$0.isLetter && !$0.isNumber }
    exactText = words.joined(separator: " ")
    let folded = exactText.unicodeScalars.map { Self.alefs.contains($0) ? Self.alef : $0 }
    self.text = String(String.UnicodeScalarView(folded))
    whole = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  /// The Arabic letter alef, and its forms with signs that people leave out.
  private static let alef: Unicode.Scalar = "\u{627}"
  private static let alefs: Set<Unicode.Scalar> = ["\u{622}", "\u{623}", "\u{625}"]

  /// Whether the scalar is a vowel mark or a stroke of Arabic, which people leave out.
  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    ("\u{64b}"..."\u{652}").contains(scalar) || scalar == "\u{640}"
  }

  package var command: Command? {
    Self.commands.first { $0.value.contains(exactText) }?.key
  }

  /// The number that the text is, in one digit of any script; nil for another text.
  package var number: Int? {
    let digits = text.map(\.wholeNumberValue)
    guard let digit = digits.first, digits.count == 1 else { return nil }
    return digit
  }

  /// Whether the text agrees.
  package var isYes: Bool { Self.yes.contains(text) }

  /// Whether the text asks for a snooze.
  package var isLater: Bool { Self.later.contains(text) }

  /// Returns whether the text is the name of an action, or its title in any language.
  package func isCalled(_ action: NotificationAction) -> Bool {
    ([action.name] + action.titles.texts.values).contains(where: says)
  }

  /// Returns whether the text is a title. Titles without letters and digits, such as "✅", have to
  /// be the whole text.
  package func says(_ title: String) -> Bool {
    let title = Reply(title)
    return title.text.isEmpty ? title.whole == whole && !whole.isEmpty : title.text == text
  }

  // MARK: - Words

  /// The words of each command. The English ones are those that carriers prescribe.
  private static let commands: [Command: Set<String>] = [
    .stop: [
      "stop", "stopall", "stop all", "unsubscribe", "cancel", "end", "quit", "optout", "opt out",
      "revoke", "stopp", "abmelden", "abbestellen", "إيقاف", "ايقاف", "توقف",
    ],
    .start: ["start", "unstop", "anmelden", "ابدأ", "إبدأ"],
    .help: ["help", "info", "hilfe", "مساعدة"],
  ]

  private static let yes: Set<String> = ["yes", "y", "ok", "okay", "ja", "نعم"]

  private static let later: Set<String> = ["later", "snooze", "später", "spaeter", "لاحقا"]
}
