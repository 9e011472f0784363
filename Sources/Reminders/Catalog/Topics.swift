/// What a reminder's messages are about, of which a person chooses some.
package struct Topics: Hashable, Sendable {
  /// The setting of the choice.
  package let setting: Int
  /// What there is to choose from.
  package let words: [String]

  /// The topics that a person has chosen, a bit for each.
  package func chosen(_ settings: Settings) -> Int64 {
    settings[setting] & (1 << Int64(words.count) - 1)
  }
}

extension Reminder {
  /// The indices of the messages about some topics.
  func messages(about topics: Int64) -> [UInt8] {
    messages.indices.filter { messages[$0].topic.map { $0 & topics != 0 } ?? true }
      .map { UInt8(truncatingIfNeeded: $0) }
  }
}
