package import CivilTime
import Reminders
package import Store

/// Selects dead letters; nil matches any value.
package struct DeadLetterFilter: Sendable {
  /// The sink of the last attempt.
  package var sink: String?
  /// The recipient's name.
  package var recipient: String?
  package var category: String?
  /// The exact reason of the dead letter.
  package var reason: String?

  package init(
    sink: String? = nil, recipient: String? = nil, category: String? = nil, reason: String? = nil
  ) {
    (self.sink, self.recipient) = (sink, recipient)
    (self.category, self.reason) = (category, reason)
  }

  /// Whether the filter matches every dead letter.
  package var matchesAll: Bool { sink == nil && isAppliedByStore }

  /// Whether the store can apply the filter by itself.
  var isAppliedByStore: Bool { recipient == nil && category == nil && reason == nil }

  /// Returns whether a dead letter of the filter's sink matches the rest of the filter.
  func matches(_ letter: DeadLetter) -> Bool {
    Self.matches(recipient, letter.delivery.recipient)
      && Self.matches(category, letter.delivery.category) && Self.matches(reason, letter.reason)
  }

  private static func matches(_ wanted: String?, _ text: String) -> Bool {
    wanted.map { ExactText($0) == ExactText(text) } ?? true
  }
}

/// The common property of the dead letters in one group.
package enum DeadLetterGrouping: String, CaseIterable, Sendable {
  case reason, category, recipient, sink

  fileprivate func name(of letter: DeadLetter) -> String {
    switch self {
    case .reason: letter.reason
    case .category: letter.delivery.category
    case .recipient: letter.delivery.recipient
    case .sink: letter.sink
    }
  }
}

/// The numbers of dead letters in groups, the largest group first.
package struct DeadLetterGroups: Sendable {
  package struct Count: Hashable, Sendable {
    /// The number of dead letters.
    package var letters = 0
    /// How many of the dead letters have expired.
    package var expired = 0
  }

  /// The maximum number of groups in an answer. Grouping by recipient may give more; only the
  /// largest are listed.
  package static let groupsMax = 100

  package var grouping: DeadLetterGrouping
  /// The largest groups; the name is the common property of the group's dead letters.
  package var groups: [(name: String, count: Count)] = []
  /// The number of counted dead letters in all groups, listed or not.
  package var all = Count()
  /// Whether all dead letters were counted.
  package var isWhole = true

  package init(_ grouping: DeadLetterGrouping) {
    self.grouping = grouping
  }
}

/// Selects the number of dead letters in each group, up to the limit of one query.
package struct DeadLetterGroupsQuery: EngineQuery {
  package var grouping: DeadLetterGrouping
  package var filter: DeadLetterFilter

  package init(_ grouping: DeadLetterGrouping, _ filter: DeadLetterFilter) {
    self.grouping = grouping
    self.filter = filter
  }

  /// The maximum number of dead letters examined for one query.
  private static let countMax = 10_000
  /// The number of dead letters read at a time.
  private static let readMax = 500

  package func answer(
    from questions: Questions, now: Instant
  ) throws(StoreError) -> DeadLetterGroups {
    try questions.readers.read { reader in
      var groups = DeadLetterGroups(grouping)
      var counts: [ExactText: DeadLetterGroups.Count] = [:]
      var (cursor, remaining): ((Int64, Channel)?, Int) = (nil, Self.countMax)
      while true {
        guard remaining > 0 else {
          groups.isWhole = try reader.deadLetters(of: filter.sink, after: cursor, limit: 1).isEmpty
          break
        }
        let letters = try reader.deadLetters(of: filter.sink, after: cursor, limit: Self.readMax)
        for letter in letters where filter.matches(letter) {
          let isExpired = letter.delivery.expiry < now
          counts[ExactText(grouping.name(of: letter)), default: .init()].add(isExpired)
          groups.all.add(isExpired)
        }
        guard letters.count == Self.readMax, let last = letters.last?.delivery else { break }
        cursor = (last.notification, last.channel)
        remaining -= letters.count
      }
      let sorted = counts.sorted { one, other in
        (other.value.letters, one.key) < (one.value.letters, other.key)
      }
      groups.groups = sorted.prefix(DeadLetterGroups.groupsMax).map { ($0.key.text, $0.value) }
      return groups
    }
  }
}

extension DeadLetterGroups.Count {
  fileprivate mutating func add(_ isExpired: Bool) {
    letters += 1
    if isExpired { expired += 1 }
  }
}
