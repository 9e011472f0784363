package import CivilTime

/// An entry of the service's journal, as the interface shows it.
package struct LogEntry: Sendable {
  /// Ascending since the start of the process.
  package let number: Int64
  package let at: Instant
  package let level: LogLevel
  /// The id of its kind, which `journalctl --catalog` explains.
  package let kind: String
  package let message: String
  /// By the names of `LogPage.fields`.
  package let fields: [(name: String, value: String)]

  package init(
    number: Int64, at: Instant, level: LogLevel, kind: String, message: String,
    fields: [(name: String, value: String)]
  ) {
    self.number = number
    self.at = at
    self.level = level
    self.kind = kind
    self.message = message
    self.fields = fields
  }

  /// What a field says; where it is there for each of several, all of them.
  package subscript(name: String) -> String? {
    let values = fields.filter { $0.name == name }.map(\.value)
    return values.isEmpty ? nil : values.joined(separator: ",")
  }

  func says(_ value: String, of name: String) -> Bool {
    self[name] == value || fields.contains { $0.name == name && $0.value == value }
  }

  /// Whether somebody has changed something, who is named in it (rule H5).
  package var isChange: Bool { self["actor"] != nil }
}

/// Which of the journal's entries are asked for.
package struct LogQuestion: Sendable {
  /// Those behind this one, the oldest first; nil for the latest of all.
  package var after: Int64?
  package var limit = 100
  /// What matters less is left out.
  package var level = LogLevel.info
  /// What the fields of these names have to be.
  package var fields: [String: String] = [:]
  /// Only what somebody has changed, or nothing of that, or either.
  package var changes: Bool?

  package init() {}

  package func wants(_ entry: LogEntry) -> Bool {
    guard entry.level.weight >= level.weight else { return false }
    if let changes, entry.isChange != changes { return false }
    return fields.allSatisfy { entry.says($0.value, of: $0.key) }
  }
}

/// Some of the journal's entries, the oldest first.
package struct LogPage: Sendable {
  /// What an entry may be about, each a text.
  package static let fields = [
    "recipient", "reminder", "notification", "channel", "sink", "verdict", "reason", "until",
    "since", "actor", "action", "subject",
  ]

  package var entries: [LogEntry] = []
  /// The number to go on behind.
  package var latest: Int64 = 0
  /// Whether some behind the one that was named are not kept any more.
  package var isCut = false

  package init() {}
}

extension LogPage {
  /// Answers a question from all that is kept.
  ///
  /// - Parameters:
  ///   - kept: behind `question.after`, the oldest first.
  ///   - last: the number of the latest of all.
  package init(
    _ question: LogQuestion, from kept: some BidirectionalCollection<LogEntry>, last: Int64
  ) {
    latest = kept.last?.number ?? max(question.after ?? 0, last)
    guard let after = question.after else {
      entries = kept.reversed().lazy.filter(question.wants).prefix(question.limit).reversed()
      return
    }
    isCut = (kept.first?.number ?? after + 1) > after + 1
    entries = Array(kept.lazy.filter(question.wants).prefix(question.limit))
    if entries.count == question.limit { latest = entries.last?.number ?? latest }
  }
}

extension LogLevel {
  /// Ascending with how much an entry matters.
  fileprivate var weight: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
