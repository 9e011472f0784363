package import Access
package import CivilTime
import Synchronization

/// The tokens as they are on disk, for those who have to look one up with every request.
package final class TokenTable: Sendable {
  private let records = Mutex<[String: TokenRecord]>([:])

  package init() {}

  package subscript(identifier: String) -> TokenRecord? {
    records.withLock { $0[identifier] }
  }

  /// All of them, the oldest first.
  package var all: [TokenRecord] {
    records.withLock { Array($0.values) }.sorted {
      ($0.created, $0.identifier) < ($1.created, $1.identifier)
    }
  }

  package func keep(_ tokens: [TokenRecord]) {
    records.withLock { records in
      for token in tokens { records[token.identifier] = token }
    }
  }

  package func removeAll(of recipient: String) {
    records.withLock { records in
      records = records.filter { !$0.value.scope.isOwn(of: recipient) }
    }
  }
}

/// What is done to the tokens.
package enum TokenChange: Sendable {
  case add(TokenRecord)
  case revoke(identifier: String, Instant)
}
