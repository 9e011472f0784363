import Cryptography
import JSON
import Synchronization

/// Creates and opens the tokens of links in notifications (rules H27, H28) and of links to
/// calendars (rule H29). A link permits exactly the action that its token names.
///
/// A token is encrypted, so only the service can read it. The nonce is an HMAC of the content (as
/// in RFC 5297), so equal content gives an equal token. Each purpose has keys of its own, so a
/// token of one purpose is invalid for the others.
package struct LinkKey: Sendable {
  /// The content of a token: a recipient, and the category that the link switches off for the
  /// recipient.
  package struct Unsubscription: Hashable, Sendable {
    package let recipient: String
    package let category: String

    package init(recipient: String, category: String) {
      self.recipient = recipient
      self.category = category
    }
  }

  /// The notification and the name of its action that a token performs; an empty name offers all
  /// actions.
  package struct Action: Hashable, Sendable {
    package let notification: String
    package let name: String

    package init(notification: String, name: String) {
      self.notification = notification
      self.name = name
    }
  }

  /// The event that takes an action back, until a deadline in milliseconds since 1970.
  package struct Undo: Hashable, Sendable {
    package let action: Action
    package let deadline: Int64
    /// The type of the event.
    package let type: String
    /// The data of the event, as JSON.
    package let data: String

    package init(of action: Action, until deadline: Int64, type: String, data: String) {
      self.action = action
      self.deadline = deadline
      self.type = type
      self.data = data
    }
  }

  /// The link to a recipient's calendar.
  package struct Feed: Hashable, Sendable {
    package let recipient: String
    /// The random number of the link, which the recipient's facts contain until it is revoked.
    package let number: Int64
    /// Whether the calendar shows only discreet texts (rule D17).
    package let isDiscreet: Bool

    package init(recipient: String, number: Int64, isDiscreet: Bool) {
      self.recipient = recipient
      self.number = number
      self.isDiscreet = isDiscreet
    }
  }

  package static let byteCount = 32

  private let unsubscribing: TokenKeys
  private let actions: TokenKeys
  private let undoing: TokenKeys
  private let calendars: TokenKeys

  /// - Parameter bytes: `byteCount` random bytes.
  package init(_ bytes: some Collection<UInt8>) {
    let key = Secret(bytes)
    unsubscribing = TokenKeys(key, purpose: "unsubscribe")
    actions = TokenKeys(key, purpose: "action")
    undoing = TokenKeys(key, purpose: "undo")
    calendars = TokenKeys(key, purpose: "calendar")
  }

  /// A token in base64url, which needs no escaping in a link; nil if a part contains a zero byte.
  package func token(recipient: String, category: String) -> String? {
    unsubscribing.token([recipient, category])
  }

  /// The subject of a token; nil if this key did not create the token.
  package func subject(of token: some StringProtocol) -> Unsubscription? {
    unsubscribing.parts(of: token, count: 2).map {
      Unsubscription(recipient: $0[0], category: $0[1])
    }
  }

  /// The token of an action; nil if a part contains a zero byte.
  package func token(of action: Action) -> String? {
    actions.token([action.notification, action.name])
  }

  /// The action of a token; nil if this key did not create the token.
  package func action(of token: some StringProtocol) -> Action? {
    actions.parts(of: token, count: 2).map { Action(notification: $0[0], name: $0[1]) }
  }

  /// The token that takes an action back; nil if a part contains a zero byte.
  package func token(of undo: Undo) -> String? {
    undoing.token([
      undo.action.notification, undo.action.name, "\(undo.deadline)", undo.type, undo.data,
    ])
  }

  /// The event with which a token takes an action back; nil if this key did not create the token.
  package func undo(of token: some StringProtocol) -> Undo? {
    undoing.parts(of: token, count: 5).flatMap { parts in
      Int64(parts[2]).map { deadline in
        Undo(
          of: Action(notification: parts[0], name: parts[1]), until: deadline, type: parts[3],
          data: parts[4])
      }
    }
  }

  /// The token of the link to a calendar; nil if the recipient's id contains a zero byte.
  package func token(of calendar: Feed) -> String? {
    calendars.token([
      calendar.recipient, "\(calendar.number)", calendar.isDiscreet ? Self.discreet : "",
    ])
  }

  /// The calendar of a token; nil if this key did not create the token.
  package func calendar(of token: some StringProtocol) -> Feed? {
    calendars.parts(of: token, count: 3).flatMap { parts in
      Int64(parts[1]).map { number in
        Feed(recipient: parts[0], number: number, isDiscreet: parts[2] == Self.discreet)
      }
    }
  }

  private static let discreet = "discreet"

  /// Returns the identifier of a calendar's entry. An occurrence of a recipient always has the same
  /// identifier. Readers of the calendar do not have the key, so the identifier reveals nothing to
  /// them.
  package func entryIdentifier(of occurrence: String, of recipient: String) -> String {
    calendars.code(of: [recipient, occurrence])
  }
}

/// The keys of the tokens of one purpose.
private struct TokenKeys: Sendable {
  private let encryption: Secret
  private let authentication: Secret

  init(_ key: Secret, purpose: String) {
    func derived(_ use: String) -> Secret {
      key.derived(info: Array("\(purpose) \(use)".utf8), count: LinkKey.byteCount)
    }
    encryption = derived("encryption")
    authentication = derived("authentication")
  }

  /// The byte between the parts of the content; no part contains it.
  private static let divider: UInt8 = 0

  func token(_ parts: [String]) -> String? {
    let text = Array(parts.map { Array($0.utf8) }.joined(separator: [Self.divider]))
    guard text.count(where: { $0 == Self.divider }) == parts.count - 1 else { return nil }
    let sealed = SealedText(sealing: text, key: encryption, nonce: nonce(text))
    return Base64URL.encoded(sealed.nonce + sealed.bytes)
  }

  func parts(of token: some StringProtocol, count: Int) -> [String]? {
    guard let sealed = Base64URL.decoded(token).flatMap({ SealedText($0) }),
      let text = sealed.opened(key: encryption), nonce(text) == sealed.nonce
    else { return nil }
    let parts = text.split(separator: Self.divider, omittingEmptySubsequences: false)
      .compactMap { String(validating: $0, as: UTF8.self) }
    return parts.count == count ? parts : nil
  }

  /// Returns the code of texts in base64url, half as long as an HMAC.
  func code(of parts: [String]) -> String {
    let text = Array(parts.map { Array($0.utf8) }.joined(separator: [Self.divider]))
    return Base64URL.encoded(
      Array(MessageCode.code(of: text, key: authentication).prefix(MessageCode.byteCount / 2)))
  }

  private func nonce(_ text: [UInt8]) -> [UInt8] {
    Array(MessageCode.code(of: text, key: authentication).prefix(SealedText.nonceCount))
  }
}

/// The current key of links; nil until the store that contains it is open.
package final class CurrentLinkKey: Sendable {
  private let key = Mutex<LinkKey?>(nil)

  package init() {}

  package var value: LinkKey? {
    get { key.withLock(\.self) }
    set { key.withLock { $0 = newValue } }
  }
}
