/// The use of a discreet text on a channel, instead of title and body, with its reason (rule D17).
package struct DiscreetUse: Hashable, Sendable {
  package let channel: Channel
  /// The discreet text.
  package let text: String
  package let reason: DiscreetText.Reason
  /// The name of the message's category.
  private let category: String

  /// Returns the uses of a message's discreet text on channels; empty if all show title and body.
  package static func uses(of message: Message, on channels: [Channel], _ hints: Hints) -> [Self] {
    guard let discreet = message.discreet else { return [] }
    return channels.compactMap { channel in
      discreet.reason(on: channel, hints).map {
        Self(channel: channel, text: discreet.text, reason: $0, category: message.category)
      }
    }
  }

  /// The reason as a clause.
  package var because: String {
    switch reason {
    case .preview: "the recipient's preview is never"
    case .category: "the category \(category) declares discreet texts on \(channel.name)"
    }
  }
}
