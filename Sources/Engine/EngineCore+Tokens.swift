import Access
import Store

extension EngineCore {
  /// Records what is done to a token, and lets it count when that is on disk.
  func perform(
    _ change: TokenChange, _ answer: @escaping Answer<TokenRecord?>, _ turn: inout Turn,
    in transaction: StoreTransaction
  ) throws {
    let token = try record(change, in: transaction)
    turn.answers.append { [tokens] in
      if let token { tokens.keep([token]) }
      answer(.success(token))
    }
  }

  private func record(
    _ change: TokenChange, in transaction: StoreTransaction
  ) throws -> TokenRecord? {
    switch change {
    case .add(let token):
      try transaction.save(token)
      return token
    case .revoke(let identifier, let now):
      guard var token = try transaction.tokens().first(where: { $0.identifier == identifier })
      else { return nil }
      token.revoked = token.revoked ?? now
      try transaction.save(token)
      return token
    }
  }
}
