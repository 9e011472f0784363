package import Access
package import CivilTime
import Store

/// A change of a token.
package enum TokenChange: Sendable {
  case add(TokenRecord)
  /// The token becomes invalid at the instant. An earlier revocation stays.
  case revoke(identifier: String, Instant)
  /// The token was used at the instant.
  case use(identifier: String, Instant)
}

extension TokenTable {
  /// Records a change of a token. The change takes effect when it is on disk. The answer is the
  /// changed token, or nil if the token is unknown.
  func perform(
    _ change: TokenChange, _ answer: @escaping Answer<TokenRecord?>, _ turn: inout Turn
  ) throws {
    let token = try record(change, in: turn.transaction)
    turn.effects.answers.append { [self] in
      if let token { keep([token]) }
      answer(.success(token))
    }
  }

  private func record(
    _ change: TokenChange, in transaction: any StoreWriter
  ) throws -> TokenRecord? {
    switch change {
    case .add(let token):
      try transaction.save(tokens: [token])
      return token
    case .revoke(let identifier, let now):
      guard var token = try transaction.token(identifier) else { return nil }
      token.revoked = token.revoked ?? now
      try transaction.save(tokens: [token])
      return token
    case .use(let identifier, let now):
      guard var token = try transaction.token(identifier) else { return nil }
      token.lastUse = now
      try transaction.save(tokens: [token])
      return token
    }
  }
}
