import CivilTime
package import Cryptography
internal import JSON
package import Outbox

/// A Google service account, read from the key file that Google's console creates. Its secrets
/// cannot be printed.
package struct ServiceAccount: Sendable {
  /// The Firebase project to which the account belongs.
  package let project: String

  /// The target of requests for access tokens.
  package let tokenEndpoint: ExchangeTarget
  /// The account's identifier, which has the form of an address.
  private let email: String
  private let key: SigningKey
  /// The `token_uri` of the key file, which is also the assertion's audience.
  private let audience: String

  /// The OAuth scope of access tokens.
  private static let scope = "https://www.googleapis.com/auth/firebase.messaging"
  /// The longest lifetime of an assertion that Google allows, in seconds.
  private static let assertionLifetime: Int64 = 3_600

  /// - Parameter file: the JSON key file.
  /// - Throws: why the file is invalid; the text does not quote the file.
  package init(_ file: Secret) throws(SinkOutage) {
    guard let document = try? JSONParser.parse(file.reveal()) else {
      throw SinkOutage("the service account is not JSON; give the key file from Google's console")
    }
    guard document["type"]?.stringValue == "service_account" else {
      throw SinkOutage("the credential is not a service account: see its \"type\"")
    }
    func text(_ name: String) throws(SinkOutage) -> String {
      if let text = document[name]?.stringValue, !text.isEmpty { return text }
      throw SinkOutage("the service account has no \"\(name)\"")
    }
    project = try text("project_id")
    email = try text("client_email")
    audience = try text("token_uri")
    guard let target = ExchangeTarget(audience) else {
      throw SinkOutage("the service account's \"token_uri\" is not an https URL")
    }
    tokenEndpoint = target
    let identifier = try text("private_key_id")
    guard let key = SigningKey(rsa: Secret(try text("private_key")), identifier: identifier) else {
      throw SinkOutage("the service account's \"private_key\" is not an RSA key in PEM")
    }
    self.key = key
  }

  /// Returns the request for an access token (RFC 7523, section 2.1).
  func tokenRequest(at now: Instant) throws(SinkOutage) -> ExchangeRequest {
    let claims: JSONObject = [
      "iss": .string(email), "scope": .string(Self.scope), "aud": .string(audience),
      "iat": .integer(now.seconds), "exp": .integer(now.seconds + Self.assertionLifetime),
    ]
    guard let assertion = try? key.token(claims: claims) else {
      throw SinkOutage("the service account's key cannot sign; renew the credential")
    }
    let form =
      "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="
      + assertion.reveal()
    return ExchangeRequest(
      posting: Array(form.utf8), to: tokenEndpoint.origin, path: tokenEndpoint.path,
      headers: [("content-type", "application/x-www-form-urlencoded")])
  }
}

extension ServiceAccount: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  package var description: String { "(a service account)" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
