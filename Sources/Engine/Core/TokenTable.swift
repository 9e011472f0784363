package import Access
package import CivilTime
import Synchronization

/// The committed tokens in memory, for the authentication of each request. Only the time of a
/// token's last use may be newer than on disk, because that time is written at most once an hour.
package final class TokenTable: Sendable {
  private struct Entry {
    var record: TokenRecord
    /// The last use that is on disk or being written.
    var writtenUse: Instant?
  }

  /// The shortest time after the written use at which another use is written.
  private static let precision = TimeSpan.hours(1)

  private struct State {
    var entries: [String: Entry] = [:]
    /// The tokens whose expiry is reported, now or later, sorted by expiry.
    var ending: [EndingToken] = []
  }

  private let state = Mutex(State())
  /// The number of changes of `ending`.
  private let changes = Atomic(0)

  package init() {}

  /// The number of changes of `ending`.
  package var endingChanges: Int { changes.load(ordering: .acquiring) }

  /// The token with an identifier; nil if there is none.
  package subscript(identifier: String) -> TokenRecord? {
    state.withLock { $0.entries[identifier]?.record }
  }

  /// All tokens, oldest first.
  package var all: [TokenRecord] {
    state.withLock { $0.entries.values.map(\.record) }.sorted {
      ($0.created, $0.identifier) < ($1.created, $1.identifier)
    }
  }

  /// The tokens whose expiry is reported, now or later, sorted by expiry.
  package var ending: [EndingToken] { state.withLock(\.ending) }

  /// Adds or replaces committed tokens. A later use that is only in memory stays.
  package func update(_ tokens: [TokenRecord]) {
    state.withLock { state in
      for token in tokens {
        var entry = Entry(record: token, writtenUse: token.lastUse)
        if let previous = state.entries[token.identifier] {
          entry.record.lastUse = [token.lastUse, previous.record.lastUse].compactMap(\.self).max()
          entry.writtenUse = [token.lastUse, previous.writtenUse].compactMap(\.self).max()
        }
        state.entries[token.identifier] = entry
      }
      let changedIdentifiers = Set(tokens.map(\.identifier))
      let others = state.ending.filter { !changedIdentifiers.contains($0.identifier) }
      setEnding(others + tokens.compactMap(EndingToken.init), in: &state)
    }
  }

  private func setEnding(_ tokens: [EndingToken], in state: inout State) {
    let sorted = tokens.sorted { ($0.expiry, $0.identifier) < ($1.expiry, $1.identifier) }
    guard sorted != state.ending else { return }
    state.ending = sorted
    changes.add(1, ordering: .releasing)
  }

  /// Removes from `ending` the tokens that are no longer reported.
  ///
  /// - Parameter isSetBack: whether the clock was set back since the last call, so that removed
  ///   tokens may have to be reported again.
  func updateEnding(at now: Instant, isSetBack: Bool) {
    state.withLock { state in
      let tokens =
        isSetBack
        ? state.entries.values.compactMap { EndingToken($0.record) } : state.ending
      setEnding(tokens.filter { !$0.isReportOver(at: now) }, in: &state)
    }
  }

  /// Replaces all tokens by those on disk. Later uses that are only in memory stay.
  package func replace(by tokens: [TokenRecord]) {
    let storedIdentifiers = Set(tokens.map(\.identifier))
    state.withLock { state in
      state.entries = state.entries.filter { storedIdentifiers.contains($0.key) }
      setEnding(state.ending.filter { storedIdentifiers.contains($0.identifier) }, in: &state)
    }
    update(tokens)
  }

  /// Removes the tokens that are limited to a recipient.
  package func removeAll(of recipient: String) {
    state.withLock { state in
      state.entries = state.entries.filter { !$0.value.record.scope.isLimited(to: recipient) }
    }
  }

  /// Records a use of a token. A last use from a clock that ran far ahead is replaced.
  ///
  /// - Returns: whether the use is to be written.
  package func recordUse(of identifier: String, at now: Instant) -> Bool {
    state.withLock { state in
      guard var entry = state.entries[identifier] else { return false }
      let isDue = entry.writtenUse.map { Self.isFar(now, from: $0) } ?? true
      let isNewer = entry.record.lastUse.map { now > $0 || Self.isFar(now, from: $0) } ?? true
      if isNewer { entry.record.lastUse = now }
      if isDue { entry.writtenUse = now }
      state.entries[identifier] = entry
      return isDue
    }
  }

  private static func isFar(_ one: Instant, from other: Instant) -> Bool {
    max(one - other, other - one) >= precision
  }
}
