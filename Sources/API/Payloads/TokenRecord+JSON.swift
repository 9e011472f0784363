import Access
import CivilTime
import JSON

extension TokenRecord {
  /// - Parameter secret: the whole token; for its maker, once.
  func write(at now: Instant, secret: TokenSecret? = nil, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", identifier)
    writer.member("name", name)
    writer.member("scope", scope.text)
    writer.member("status", standing(at: now).name)
    writer.member("created", created.description)
    writer.member("expires", expiry.map { .string($0.description) } ?? .null)
    writer.member("revoked", revoked.map { .string($0.description) } ?? .null)
    if let secret { writer.member("token", secret.reveal()) }
    writer.endObject()
  }
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
