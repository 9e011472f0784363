/// A text with which a person replies to a message (rules D14, D15).
package struct Reply: Hashable, Sendable {
  /// A command that every sender of text messages must obey.
  package enum Command: Hashable, Sendable {
    /// Send no more text messages.
    case stop
    /// Send text messages again.
    case start
    /// Send the help text.
    case help
  }

  /// The words in lower case, without Arabic vowel marks and punctuation, separated by one space.
  private let exactText: String
  /// ``exactText`` with the plain letter alef for each form of it.
  private let text: String
  /// The original words, with their case and punctuation, separated by one space.
  private let originalText: String

  package init(_ text: String) {
    let scalars = text.lowercased().unicodeScalars.filter { !Self.isMark($0) }
    let words = String(String.UnicodeScalarView(scalars))
      .split { !$0.isLetter && !$0.isNumber }
    exactText = words.joined(separator: " ")
    let folded = exactText.unicodeScalars.map { Self.alefForms.contains($0) ? Self.alef : $0 }
    self.text = String(String.UnicodeScalarView(folded))
    originalText = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  /// The plain Arabic letter alef.
  private static let alef: Unicode.Scalar = "\u{627}"
  /// The letter alef with signs that people often omit.
  private static let alefForms: Set<Unicode.Scalar> = ["\u{622}", "\u{623}", "\u{625}"]

  /// Returns whether a scalar is an Arabic vowel mark or the stroke that lengthens a word
  /// (tatweel), which people often omit.
  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    ("\u{64b}"..."\u{652}").contains(scalar) || scalar == "\u{640}"
  }

  package var command: Command? {
    Self.commands.first { $0.value.contains(exactText) }?.key
  }

  /// The value of the text if it is a single digit, in any script; otherwise nil.
  package var number: Int? {
    let digits = text.map(\.wholeNumberValue)
    guard let digit = digits.first, digits.count == 1 else { return nil }
    return digit
  }

  /// Whether the text means consent, such as "yes".
  package var isYes: Bool { Self.yes.contains(text) }

  /// Whether the text requests a snooze, such as "later".
  package var isLater: Bool { Self.later.contains(text) }

  /// Returns whether the text is the name of an action, or its title in any language.
  package func matches(_ action: NotificationAction) -> Bool {
    ([action.name] + action.titles.texts.values).contains(where: matches(title:))
  }

  /// Returns whether the text is a title, apart from case, punctuation and Arabic vowel marks. A
  /// title without letters and digits, such as "✅", must equal the original text.
  package func matches(title: String) -> Bool {
    let title = Reply(title)
    return title.text.isEmpty
      ? title.originalText == originalText && !originalText.isEmpty : title.text == text
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
