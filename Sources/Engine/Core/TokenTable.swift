package import Access
package import CivilTime
import Synchronization

/// The tokens as they are on disk, for those who have to look one up with every request. Only when
/// one was used last is newer here: that is written once an hour, and not with each request.
package final class TokenTable: Sendable {
  private struct Entry {
    var record: TokenRecord
    /// When it was used last, as it is on disk or on its way there.
    var writtenUse: Instant?
  }

  /// How much later a use has to be than the one that was written, to be written itself.
  private static let precision = TimeSpan.hours(1)

  private let entries = Mutex<[String: Entry]>([:])

  package init() {}

  package subscript(identifier: String) -> TokenRecord? {
    entries.withLock { $0[identifier]?.record }
  }

  /// All of them, the oldest first.
  package var all: [TokenRecord] {
    entries.withLock { $0.values.map(\.record) }.sorted {
      ($0.created, $0.identifier) < ($1.created, $1.identifier)
    }
  }

  /// Takes in what is on disk.
  package func keep(_ tokens: [TokenRecord]) {
    entries.withLock { entries in
      for token in tokens {
        var entry = Entry(record: token, writtenUse: token.lastUse)
        if let known = entries[token.identifier] {
          entry.record.lastUse = [token.lastUse, known.record.lastUse].compactMap(\.self).max()
          entry.writtenUse = [token.lastUse, known.writtenUse].compactMap(\.self).max()
        }
        entries[token.identifier] = entry
      }
    }
  }

  /// Takes in what is on disk, and forgets what is there no more.
  package func replace(by tokens: [TokenRecord]) {
    let there = Set(tokens.map(\.identifier))
    entries.withLock { entries in entries = entries.filter { there.contains($0.key) } }
    keep(tokens)
  }

  package func removeAll(of recipient: String) {
    entries.withLock { entries in
      entries = entries.filter { !$0.value.record.scope.isOwn(of: recipient) }
    }
  }

  /// Notes that a token lets its bearer in. What a clock has said that was far ahead does not stay.
  ///
  /// - Returns: whether that is to be written.
  package func noteUse(of identifier: String, at now: Instant) -> Bool {
    entries.withLock { entries in
      guard var entry = entries[identifier] else { return false }
      let isDue = entry.writtenUse.map { Self.isFar(now, from: $0) } ?? true
      let isNews = entry.record.lastUse.map { now > $0 || Self.isFar(now, from: $0) } ?? true
      if isNews { entry.record.lastUse = now }
      if isDue { entry.writtenUse = now }
      entries[identifier] = entry
      return isDue
    }
  }

  private static func isFar(_ one: Instant, from other: Instant) -> Bool {
    max(one - other, other - one) >= precision
  }
}
