import CivilTime
import Reminders
import Store

/// Which dead letters are meant; what is nil may be anything.
package struct DeadLetterFilter: Sendable {
  /// The last sink that had them.
  package var sink: String?
  package var recipient: String?
  package var category: String?
  /// Why they are attempted no more, in the very words.
  package var reason: String?

  package init(
    sink: String? = nil, recipient: String? = nil, category: String? = nil, reason: String? = nil
  ) {
    (self.sink, self.recipient) = (sink, recipient)
    (self.category, self.reason) = (category, reason)
  }

  /// Whether it means all there are.
  package var isOpen: Bool { sink == nil && hasSinkAlone }

  /// Whether the store can tell by itself which are meant.
  var hasSinkAlone: Bool { recipient == nil && category == nil && reason == nil }

  func wants(_ letter: DeadLetter) -> Bool {
    Self.isSame(recipient, letter.delivery.recipient)
      && Self.isSame(category, letter.delivery.category) && Self.isSame(reason, letter.reason)
  }

  private static func isSame(_ wanted: String?, _ text: String) -> Bool {
    wanted.map { ExactText($0) == ExactText(text) } ?? true
  }
}

/// What dead letters of one group have in common.
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

/// How many dead letters there are of each sort, the most first.
package struct DeadLetterGroups: Sendable {
  package struct Count: Hashable, Sendable {
    package var letters = 0
    /// Of these, what it is too late for.
    package var expired = 0
  }

  /// How many groups are told apart; of recipients there may be very many.
  package static let most = 100

  package var grouping: DeadLetterGrouping
  package var groups: [(name: String, count: Count)] = []
  package var all = Count()
  /// Whether all there are were looked at.
  package var isWhole = true

  package init(_ grouping: DeadLetterGrouping) {
    self.grouping = grouping
  }
}

extension Questions {
  /// How many letters one question counts.
  private static let countMax = 10_000
  private static let readMax = 500

  func deadLetterGroups(
    _ grouping: DeadLetterGrouping, _ filter: DeadLetterFilter, now: Instant
  ) throws(StoreError) -> DeadLetterGroups {
    try readers.read { reader in
      var groups = DeadLetterGroups(grouping)
      var counts: [ExactText: DeadLetterGroups.Count] = [:]
      var (place, rest): ((Int64, Channel)?, Int) = (nil, Self.countMax)
      while rest > 0 {
        let found = try reader.deadLetters(of: filter.sink, after: place, limit: Self.readMax)
        for letter in found where filter.wants(letter) {
          let isExpired = letter.delivery.expiry < now
          counts[ExactText(grouping.name(of: letter)), default: .init()].add(isExpired)
          groups.all.add(isExpired)
        }
        guard found.count == Self.readMax, let last = found.last?.delivery else { break }
        place = (last.notification, last.channel)
        rest -= found.count
      }
      groups.isWhole = rest > 0
      let sorted = counts.sorted { one, other in
        (other.value.letters, one.key) < (one.value.letters, other.key)
      }
      groups.groups = sorted.prefix(DeadLetterGroups.most).map { ($0.key.text, $0.value) }
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
