package import CivilTime

/// An entry of the service's journal, as the API shows it.
package struct LogEntry: Sendable {
  /// The entry's number, which ascends from the start of the process.
  package let number: Int64
  /// When the service wrote the entry.
  package let at: Instant
  package let level: LogLevel
  /// The message id, which `journalctl --catalog` explains.
  package let kind: String
  package let message: String
  /// The fields, named as in `LogPage.fields`.
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

  /// The value of a field; repeated fields are joined with commas.
  package subscript(name: String) -> String? {
    let values = fields.filter { $0.name == name }.map(\.value)
    return values.isEmpty ? nil : values.joined(separator: ",")
  }

  /// Whether a field with this name has this value. The values of repeated fields, joined with
  /// commas, match too.
  func contains(_ value: String, inField name: String) -> Bool {
    self[name] == value || fields.contains { $0.name == name && $0.value == value }
  }

  /// Whether the entry records a change by a caller, whom the field `actor` names (rule H5).
  package var isChange: Bool { self["actor"] != nil }
}

/// A query for entries of the journal.
package struct LogQuery: Sendable {
  /// The number after which entries are selected, the oldest first; nil selects the latest entries.
  package var after: Int64?
  /// The maximum number of entries.
  package var limit = 100
  /// The lowest severity of the selected entries.
  package var level = LogLevel.info
  /// The required values of fields.
  package var fields: [String: String] = [:]
  /// true for changes only, false for other entries only, nil for both.
  package var changes: Bool?

  package init() {}

  package func matches(_ entry: LogEntry) -> Bool {
    guard entry.level.weight >= level.weight else { return false }
    if let changes, entry.isChange != changes { return false }
    return fields.allSatisfy { entry.contains($0.value, inField: $0.key) }
  }
}

/// A page of journal entries, the oldest first.
package struct LogPage: Sendable {
  /// The text fields that an entry may have.
  package static let fields = [
    "recipient", "reminder", "notification", "channel", "sink", "verdict", "reason", "until",
    "since", "actor", "action", "subject",
  ]

  package var entries: [LogEntry] = []
  /// The cursor for the next page.
  package var latest: Int64 = 0
  /// Whether entries after the query's number are missing, because the buffer has dropped them.
  package var isCut = false

  package init() {}
}

extension LogPage {
  /// Answers a query from the buffered entries.
  ///
  /// - Parameters:
  ///   - buffered: the buffered entries after `query.after`, the oldest first.
  ///   - last: the number of the latest entry.
  package init(
    _ query: LogQuery, from buffered: some BidirectionalCollection<LogEntry>, last: Int64
  ) {
    latest = buffered.last?.number ?? max(query.after ?? 0, last)
    guard let after = query.after else {
      entries = buffered.reversed().lazy.filter(query.matches).prefix(query.limit).reversed()
      return
    }
    isCut = (buffered.first?.number ?? after + 1) > after + 1
    entries = Array(buffered.lazy.filter(query.matches).prefix(query.limit))
    if entries.count == query.limit { latest = entries.last?.number ?? latest }
  }
}

extension LogLevel {
  /// The severity as a number, higher for more severe levels.
  fileprivate var weight: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
