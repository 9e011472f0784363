/// A short text for places that other people may see (rule D17). Channels show it instead of a
/// notification's title and body.
package struct DiscreetText: Hashable, Sendable {
  /// The reason why a channel shows a discreet text.
  package enum Reason: String, CaseIterable, Sendable {
    /// The recipient's preview is `never`.
    case preview
    /// The category declares discreet texts on the channel.
    case category
  }

  package var text: String
  /// The channels that show the text to every recipient. Push also shows it to recipients whose
  /// preview is `never`.
  package var channels: ChannelSet

  package init(text: String, channels: ChannelSet = []) {
    (self.text, self.channels) = (text, channels)
  }

  /// Creates the text of a digest; nil if no member has one. Its text is the digest's title, which
  /// only counts the members.
  init?(of members: [DiscreetText], titled title: String) {
    guard !members.isEmpty else { return nil }
    self.init(text: title, channels: members.reduce([]) { $0.union($1.channels) })
  }

  /// Returns the reason why a channel shows the text; nil if it shows title and body.
  package func reason(on channel: Channel, _ hints: Hints) -> Reason? {
    if channel == .push, hints.contains(.previewNever) { return .preview }
    return channels.contains(ChannelSet(channel)) ? .category : nil
  }
}

extension DiscreetText {
  /// Returns the discreet text of messages that declare none, in a language or else in English.
  package static func builtIn(in language: LanguageTag?) -> String {
    language.flatMap { builtInTexts[String($0.language)] } ?? builtInEnglish
  }

  private static let builtInEnglish = "You have a new notification"
  private static let builtInTexts = [
    "ar": "لديك إشعار جديد", "da": "Du har en ny notifikation",
    "de": "Du hast eine neue Mitteilung",
    "es": "Tienes una notificación nueva", "fr": "Vous avez une nouvelle notification",
    "id": "Anda memiliki notifikasi baru", "it": "Hai una nuova notifica",
    "ms": "Anda mempunyai pemberitahuan baharu", "nb": "Du har et nytt varsel",
    "nl": "Je hebt een nieuwe melding", "pt": "Você tem uma nova notificação",
    "sv": "Du har en ny avisering", "tr": "Yeni bir bildiriminiz var",
  ]
}

extension Category {
  /// Returns the discreet text of a message of this category; nil if neither the message nor the
  /// category declares discreet texts.
  ///
  /// - Parameters:
  ///   - declaredText: the text that the message declares; nil if it declares none.
  ///   - language: the language of the message's other texts.
  func discreet(_ declaredText: String?, in language: LanguageTag?) -> DiscreetText? {
    guard declaredText != nil || !discreetChannels.isEmpty else { return nil }
    return DiscreetText(
      text: declaredText ?? DiscreetText.builtIn(in: language), channels: discreetChannels)
  }
}

extension PlanningContext {
  /// Returns the discreet text for this recipient. A recipient who has switched discreet texts off
  /// gets title and body on the category's channels.
  func chosen(_ discreet: DiscreetText?) -> DiscreetText? {
    guard var discreet, !settings.isOn(.discreet) else { return discreet }
    discreet.channels = []
    return discreet
  }
}

extension Message {
  /// Returns the message as a channel shows it.
  package func shown(on channel: Channel, _ hints: Hints) -> Message {
    guard let discreet, discreet.reason(on: channel, hints) != nil else { return self }
    return Message(
      reminder: reminder, category: category, title: discreet.text, body: "",
      details: details.untitledActions, members: members, trace: trace)
  }

  /// Returns the message as a calendar shows it, which other people may see (rule H29). The
  /// discreet text is used if any channel shows it. There is no body if the recipient's preview is
  /// `never`.
  ///
  /// - Parameters:
  ///   - isDiscreet: whether the calendar shows only discreet texts.
  ///   - language: the language of the text if the message has no discreet one.
  package func inCalendar(
    isDiscreet: Bool, _ hints: Hints, in language: LanguageTag?
  ) -> (title: String, body: String) {
    let hasReason = Channel.allCases.contains { discreet?.reason(on: $0, hints) != nil }
    guard isDiscreet || hasReason else {
      return (title, body(on: .push, hints))
    }
    return (discreet?.text ?? DiscreetText.builtIn(in: language), "")
  }

  /// Returns only a discreet text, for an app that fetches the message by the delivery's id. A
  /// message whose texts were emptied stays empty.
  func toFetch(in language: LanguageTag?) -> Message {
    let isEmpty = title.isEmpty && body.isEmpty && discreet == nil
    return Message(
      reminder: "", category: "",
      title: isEmpty ? "" : discreet?.text ?? DiscreetText.builtIn(in: language), body: "")
  }
}
