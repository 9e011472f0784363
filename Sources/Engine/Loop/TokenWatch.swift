import Access
import CivilTime

/// Decides when to warn that tokens expire soon or have expired: when the period of warnings
/// begins, at the expiry, and once a day.
struct TokenWatch {
  /// The time between two warnings about the same token.
  private static let pause = TimeSpan.days(1)

  /// The time of the last warning about each token that is reported, by the token's identifier.
  private var lastWarnings: [String: Instant] = [:]
  /// When the next check is due; nil if no token expires.
  private(set) var wake: Instant?
  /// The table's number of changes at the last check, and the time of that check.
  private var lastCheck: (changes: Int, now: Instant)?

  /// Returns the tokens of a table to warn about now. Reads the table only after a change, when a
  /// check is due, and after the clock was set back.
  mutating func warnings(from table: TokenTable, at now: Instant) -> [EndingToken] {
    let isSetBack = lastCheck.map { now < $0.now } ?? false
    let isDue = wake.map { $0 <= now } ?? false
    guard isDue || isSetBack || table.endingChanges != lastCheck?.changes else { return [] }
    table.updateEnding(at: now, isSetBack: isSetBack)
    lastCheck = (table.endingChanges, now)
    return warnings(about: table.ending, at: now)
  }

  /// Returns the tokens to warn about now, records the warnings, and updates `wake`.
  ///
  /// - Parameter tokens: the tokens whose expiry is reported, now or later.
  /// - Returns: the tokens to warn about in the journal now.
  mutating func warnings(about tokens: [EndingToken], at now: Instant) -> [EndingToken] {
    guard !tokens.isEmpty || wake != nil else { return [] }
    let current = tokens.filter { $0.isReported(at: now) }
    let due = current.filter { isDue($0, at: now) }
    let previous = lastWarnings
    lastWarnings = Dictionary(
      current.map { ($0.identifier, previous[$0.identifier] ?? now) },
      uniquingKeysWith: { first, _ in first })
    for token in due { lastWarnings[token.identifier] = now }
    let changes = tokens.compactMap { $0.nextChange(after: now) }
    wake = (changes + lastWarnings.values.map { $0 + Self.pause }).min()
    return due
  }

  private func isDue(_ token: EndingToken, at now: Instant) -> Bool {
    // After a clock was set back, the last warning may be far ahead.
    guard let last = lastWarnings[token.identifier], last <= now else { return true }
    return now >= last + Self.pause || token.isExpired(at: now) != token.isExpired(at: last)
  }
}
