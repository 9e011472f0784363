import Access
package import CivilTime

package struct TokenPayload: Payload {
  /// A token and its state at an instant.
  package struct Value {
    let record: TokenRecord
    let now: Instant
    /// The complete token, shown once to its creator.
    var secret: TokenSecret?
  }

  package static let shape = PayloadShape(Self(), as: .token)

  package let id = Member("id", .text) { $0.record.identifier }
  package let name = Member("name", .text) { $0.record.name }
  package let scope = Member("scope", .text.example("recipient:u1")) { $0.record.scope.name }
  package let types = Member(
    "types", optional: .list(.text),
    "The types of events that a token with the scope report may report; absent if not limited"
  ) { token in token.record.scope.grant.flatMap { $0.types.isEmpty ? nil : $0.types } }
  package let source = Member(
    "source", optional: .text,
    "The source that a token with the scope report must give in events; absent if not limited"
  ) { $0.record.scope.grant?.source }
  package let status = Member("status", .word(["valid", "expired", "revoked"])) {
    $0.record.standing(at: $0.now).name
  }
  package let created = Member("created", .instant) { $0.record.created }
  package let expires = Member("expires", orNull: .instant) { $0.record.expiry }
  package let revoked = Member("revoked", orNull: .instant) { $0.record.revoked }
  package let lastUsed = Member(
    "lastUsed", orNull: .instant,
    "The last use; precise only to the hour if it was before the service started"
  ) { $0.record.lastUse }
  package let token = Member(
    "token", optional: .text,
    "The secret; only in the response to the request that creates the token"
  ) {
    $0.secret?.reveal()
  }
}

package struct TokenPagePayload: PagePayload {
  package struct Value {
    let tokens: ArraySlice<TokenRecord>
    let now: Instant
    let next: String?
  }

  package static let shape = PayloadShape(Self())

  package let tokens = Member("tokens", .list(.payload(TokenPayload.self))) { page in
    page.tokens.map { TokenPayload.Value(record: $0, now: page.now) }
  }
  package let next = Member("next", orNull: .text) { $0.next }

  package var items: Member<[PayloadNode<TokenPayload>]> { tokens }
}

extension TokenRecord.Standing {
  fileprivate var name: String {
    switch self {
    case .valid: "valid"
    case .expired: "expired"
    case .revoked: "revoked"
    }
  }
}
