import Crypto
import Foundation
import JSON
import Synchronization

/// Makes and opens the tokens of links in e-mails, by which who has the mail, and nobody else,
/// switches off what it was about.
///
/// A token says whom and what it is for, to the service alone: it is encrypted, under a nonce that
/// is an HMAC of what it says (RFC 5297 does the same), so it is the same each time and is good
/// for nothing else.
package struct UnsubscribeKey: Sendable {
  /// What a token is for.
  package struct Subject: Hashable, Sendable {
    package let recipient: String
    package let category: String

    package init(recipient: String, category: String) {
      self.recipient = recipient
      self.category = category
    }
  }

  package static let byteCount = 32

  private let encryption: SymmetricKey
  private let authentication: SymmetricKey

  /// - Parameter bytes: `byteCount` of them, at random.
  package init(_ bytes: some Collection<UInt8>) {
    let key = SymmetricKey(data: Array(bytes))
    encryption = Self.derived(from: key, "unsubscribe encryption")
    authentication = Self.derived(from: key, "unsubscribe authentication")
  }

  private static func derived(from key: SymmetricKey, _ purpose: String) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(
      inputKeyMaterial: key, info: Array(purpose.utf8), outputByteCount: byteCount)
  }

  /// What divides the two parts; neither holds it.
  private static let divider: UInt8 = 0
  private static let nonceCount = 12

  /// Of letters that need no quoting in a link; nil for what could not be told apart again.
  package func token(recipient: String, category: String) -> String? {
    let text = Array(recipient.utf8) + [Self.divider] + Array(category.utf8)
    guard text.count(where: { $0 == Self.divider }) == 1,
      let box = try? AES.GCM.seal(text, using: encryption, nonce: AES.GCM.Nonce(data: nonce(text)))
    else { return nil }
    return box.combined.map { Base64URL.encoded($0) }
  }

  /// Nil for whatever this key has not made.
  package func subject(of token: some StringProtocol) -> Subject? {
    guard let bytes = Base64URL.decoded(token), let box = try? AES.GCM.SealedBox(combined: bytes),
      let text = try? Array(AES.GCM.open(box, using: encryption)), nonce(text) == Array(box.nonce)
    else { return nil }
    let parts = text.split(separator: Self.divider, omittingEmptySubsequences: false)
    guard parts.count == 2, let recipient = String(validating: parts[0], as: UTF8.self),
      let category = String(validating: parts[1], as: UTF8.self)
    else { return nil }
    return Subject(recipient: recipient, category: category)
  }

  private func nonce(_ text: [UInt8]) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: text, using: authentication).prefix(Self.nonceCount))
  }
}

/// The key that links in e-mails are made and opened with, once the store that holds it is open.
package final class CurrentUnsubscribeKey: Sendable {
  private let key = Mutex<UnsubscribeKey?>(nil)

  package init() {}

  package var value: UnsubscribeKey? {
    get { key.withLock(\.self) }
    set { key.withLock { $0 = newValue } }
  }
}
