import Cryptography
import JSON
import Synchronization

/// Creates and opens the tokens of unsubscribe links in e-mails. The bearer of a link can switch
/// off the category of the e-mail that contained the link.
///
/// A token is encrypted, so only the service can read its recipient and category. Its nonce is an
/// HMAC of the content (as in RFC 5297), so equal content gives an equal token.
package struct UnsubscribeKey: Sendable {
  /// The content of a token: a recipient, and the category that the link switches off for them.
  package struct Subject: Hashable, Sendable {
    package let recipient: String
    package let category: String

    package init(recipient: String, category: String) {
      self.recipient = recipient
      self.category = category
    }
  }

  package static let byteCount = 32

  private let encryption: Secret
  private let authentication: Secret

  /// - Parameter bytes: `byteCount` random bytes.
  package init(_ bytes: some Collection<UInt8>) {
    let key = Secret(bytes)
    func derived(_ purpose: String) -> Secret {
      key.derived(info: Array(purpose.utf8), count: Self.byteCount)
    }
    encryption = derived("unsubscribe encryption")
    authentication = derived("unsubscribe authentication")
  }

  /// The byte between the two parts of the content; neither part contains it.
  private static let divider: UInt8 = 0

  /// A token in base64url, which needs no escaping in a link; nil if a part contains the divider.
  package func token(recipient: String, category: String) -> String? {
    let text = Array(recipient.utf8) + [Self.divider] + Array(category.utf8)
    guard text.count(where: { $0 == Self.divider }) == 1 else { return nil }
    let sealed = SealedText(sealing: text, key: encryption, nonce: nonce(text))
    return Base64URL.encoded(sealed.nonce + sealed.bytes)
  }

  /// The subject of a token; nil if this key did not create the token.
  package func subject(of token: some StringProtocol) -> Subject? {
    guard let sealed = Base64URL.decoded(token).flatMap({ SealedText($0) }),
      let text = sealed.opened(key: encryption), nonce(text) == sealed.nonce
    else { return nil }
    let parts = text.split(separator: Self.divider, omittingEmptySubsequences: false)
    guard parts.count == 2, let recipient = String(validating: parts[0], as: UTF8.self),
      let category = String(validating: parts[1], as: UTF8.self)
    else { return nil }
    return Subject(recipient: recipient, category: category)
  }

  private func nonce(_ text: [UInt8]) -> [UInt8] {
    Array(MessageCode.code(of: text, key: authentication).prefix(SealedText.nonceCount))
  }
}

/// The current key of unsubscribe links; nil until the store that contains it is open.
package final class CurrentUnsubscribeKey: Sendable {
  private let key = Mutex<UnsubscribeKey?>(nil)

  package init() {}

  package var value: UnsubscribeKey? {
    get { key.withLock(\.self) }
    set { key.withLock { $0 = newValue } }
  }
}
