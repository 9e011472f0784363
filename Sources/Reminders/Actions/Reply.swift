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

  /// The text without case, marks and signs at its ends.
  private let text: String

  package init(_ text: String) {
    let scalars = text.lowercased().unicodeScalars.filter { !Self.isMark($0) }
      .map { Self.alefs.contains($0) ? Self.alef : $0 }
    let words = String(String.UnicodeScalarView(scalars))
      .split { !$0.isLetter && !$0.isNumber }
    self.text = words.joined(separator: " ")
  }

  /// The Arabic letter alef, and its forms with signs that people leave out.
  private static let alef: Unicode.Scalar = "\u{627}"
  private static let alefs: Set<Unicode.Scalar> = ["\u{622}", "\u{623}", "\u{625}"]

  /// Whether the scalar is a vowel mark or a stroke of Arabic, which people leave out.
  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    ("\u{64b}"..."\u{652}").contains(scalar) || scalar == "\u{640}"
  }

  package var command: Command? {
    Self.commands.first { $0.value.contains(text) }?.key
  }

  /// Returns the action that the text chooses: by its number from 1, its name, or its title in any
  /// language. A yes chooses the first action if that reports an event, and a request for later
  /// chooses the first snooze.
  package func action(among actions: [NotificationAction]) -> NotificationAction? {
    if let number = number, actions.indices.contains(number - 1) { return actions[number - 1] }
    if let action = namedAction(among: actions) { return action }
    if Self.yes.contains(text), let first = actions.first, first.reportsEvent { return first }
    return Self.later.contains(text) ? actions.first { $0.isSnooze } : nil
  }

  /// Returns the action of which the text is the name, or the title in any language.
  package func namedAction(among actions: [NotificationAction]) -> NotificationAction? {
    actions.first(where: isCalled)
  }

  /// The number that the text is, in digits of any script.
  private var number: Int? {
    let digits = text.map(\.wholeNumberValue)
    guard let digit = digits.first, digits.count == 1 else { return nil }
    return digit
  }

  private func isCalled(_ action: NotificationAction) -> Bool {
    ([action.name] + action.titles.texts.values).contains { Reply($0).text == text }
  }

  // MARK: - Words

  /// The words of each command. The English ones are those that carriers prescribe.
  private static let commands: [Command: Set<String>] = [
    .stop: [
      "stop", "stopall", "stop all", "unsubscribe", "cancel", "end", "quit", "optout", "opt out",
      "revoke", "stopp", "abmelden", "abbestellen", "ايقاف", "توقف",
    ],
    .start: ["start", "unstop", "anmelden", "ابدا"],
    .help: ["help", "info", "hilfe", "مساعدة"],
  ]

  private static let yes: Set<String> = ["yes", "y", "ok", "okay", "ja", "نعم"]

  private static let later: Set<String> = ["later", "snooze", "später", "spaeter", "لاحقا"]
}

extension NotificationAction {
  fileprivate var reportsEvent: Bool {
    if case .event = effect { true } else { false }
  }

  fileprivate var isSnooze: Bool {
    if case .snooze = effect { true } else { false }
  }
}
