import Cryptography
import Foundation
import Outbox

/// The proof that a request comes from the sink's service.
enum ServiceProof: Sendable {
  /// The secret itself in the header Authorization: as a bearer token, or as the password of basic
  /// authentication.
  case bearer(Secret)
  /// The HMAC-SHA256 of the body in a header, in hexadecimal digits or base64, optionally
  /// after "sha256=".
  case signature(Secret, field: String)

  func check(_ request: ServiceRequest) throws(ServiceRequestError) {
    let isValid =
      switch self {
      case .bearer(let secret): Self.containsSecret(secret, request)
      case .signature(let secret, let field): Self.isSigned(secret, request, field)
      }
    if !isValid { throw .forged(remedy) }
  }

  /// The contents of a valid request, in words for operators.
  private var remedy: String {
    switch self {
    case .bearer: "the header Authorization has to contain the secret that the sink names"
    case .signature(_, let field):
      "the header \(field) has to contain the HMAC-SHA256 of the body by the secret that the sink "
        + "names"
    }
  }

  private static func containsSecret(_ secret: Secret, _ request: ServiceRequest) -> Bool {
    let parts = (request.fields["authorization"] ?? "").split(separator: " ")
    guard parts.count == 2 else { return false }
    switch parts[0].lowercased() {
    case "bearer": return Secret(String(parts[1])) == secret
    case "basic":
      guard let pair = Data(base64Encoded: String(parts[1])),
        let colon = pair.firstIndex(of: UInt8(ascii: ":"))
      else { return false }
      return Secret(Array(pair[colon...].dropFirst())) == secret
    default: return false
    }
  }

  private static func isSigned(
    _ secret: Secret, _ request: ServiceRequest, _ field: String
  ) -> Bool {
    let text = (request.fields[field] ?? "").trimmingPrefix("sha256=")
    guard let code = bytes(ofHex: text) ?? Data(base64Encoded: String(text)).map({ Array($0) })
    else { return false }
    return MessageCode.isValid(code, of: request.body, key: secret)
  }

  /// Returns the bytes of 64 hexadecimal digits; nil for another text.
  private static func bytes(ofHex text: Substring) -> [UInt8]? {
    let digits = text.compactMap(\.hexDigitValue)
    guard digits.count == 64, text.count == 64 else { return nil }
    return stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }
}
