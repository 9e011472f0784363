import Access
import HTTPTypes

/// What a request brings along to say who makes it (RFC 6750, section 2.1: in the Authorization
/// field and nowhere else). It cannot be printed.
enum BearerCredentials: Sendable {
  case token(TokenSecret)
  case webToken(WebToken)

  /// Nil where it brings nothing.
  init?(_ headers: HTTPFields) throws(Problem) {
    let fields = headers[values: .authorization]
    guard let field = fields.first else { return nil }
    guard fields.count == 1 else {
      throw Problem(invalidToken: "the field Authorization is there twice; send it once")
    }
    let parts = field.split(separator: " ")
    guard parts.count == 2, parts[0].lowercased() == "bearer" else {
      throw Problem(invalidToken: "the field Authorization has to be \"Bearer TOKEN\"")
    }
    if let secret = TokenSecret(parts[1]) {
      self = .token(secret)
    } else if let token = WebToken(parts[1]) {
      self = .webToken(token)
    } else {
      throw Problem(
        invalidToken: "this is not a token of this service; copy the whole token, which begins "
          + "with chimed_")
    }
  }
}
