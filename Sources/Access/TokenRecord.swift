package import CivilTime
import Crypto

/// What is kept of a token. Its secret is not among it.
package struct TokenRecord: Hashable, Sendable {
  /// Whether a token holds at some instant.
  package enum Standing: Hashable, Sendable {
    case valid
    case expired(Instant)
    case revoked(Instant)
  }

  /// Its public part, by which it is found.
  package var identifier: String
  /// What its maker calls it; 1 to 100 characters.
  package var name: String
  package var scope: AccessScope
  /// SHA-256 of the secret. The secret is 260 random bits, so a slow hash would add nothing.
  package var digest: [UInt8]
  package var created: Instant
  /// When it ends; nil for one that has no end.
  package var expiry: Instant?
  package var revoked: Instant?
  /// When it let its bearer in last; nil if it never has.
  package var lastUse: Instant?

  package init(
    identifier: String, name: String, scope: AccessScope, digest: [UInt8], created: Instant,
    expiry: Instant? = nil, revoked: Instant? = nil, lastUse: Instant? = nil
  ) {
    self.identifier = identifier
    self.name = name
    self.scope = scope
    self.digest = digest
    self.created = created
    self.expiry = expiry
    self.revoked = revoked
    self.lastUse = lastUse
  }

  package func standing(at now: Instant) -> Standing {
    if let revoked { return .revoked(revoked) }
    if let expiry, expiry <= now { return .expired(expiry) }
    return .valid
  }
}

/// A token as its bearer has it: `chimed_`, a public identifier, `_`, and the secret. Whatever
/// prints or dumps it gets a placeholder.
package struct TokenSecret: Sendable {
  /// Its public part, by which its record is found.
  package let identifier: String
  private let secret: [UInt8]

  /// A new one. The generator has to be one for cryptography, such as the system's.
  package init(using generator: inout some RandomNumberGenerator) {
    identifier = String(
      decoding: Self.letters(Self.identifierLength, using: &generator), as: UTF8.self)
    secret = Self.letters(Self.secretLength, using: &generator)
  }

  /// Reads a whole token; nil for what cannot be one.
  package init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8)
    let start = Self.prefix.count + Self.identifierLength
    guard bytes.count == start + 1 + Self.secretLength, bytes.starts(with: Self.prefix),
      bytes[start] == UInt8(ascii: "_")
    else { return nil }
    let identifier = bytes[Self.prefix.count..<start]
    let secret = bytes[(start + 1)...]
    guard identifier.allSatisfy(Self.alphabet.contains), secret.allSatisfy(Self.alphabet.contains)
    else { return nil }
    self.identifier = String(decoding: identifier, as: UTF8.self)
    self.secret = Array(secret)
  }

  /// Whether a text means to be one of these tokens, sound or not.
  package static func isMeant(by text: some StringProtocol) -> Bool {
    text.utf8.starts(with: prefix)
  }

  /// The whole token, to be told to its maker once.
  package func reveal() -> String {
    String(decoding: Self.prefix, as: UTF8.self) + identifier + "_"
      + String(decoding: secret, as: UTF8.self)
  }

  package var digest: [UInt8] { Array(SHA256.hash(data: secret)) }

  /// Whether it is the token of a record, in a time that tells nothing of how near it came.
  package func matches(_ record: TokenRecord) -> Bool {
    let digest = digest
    guard record.digest.count == digest.count else { return false }
    return zip(record.digest, digest).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  private static let prefix = Array("chimed_".utf8)
  /// Nothing that a double click does not take along, or that a person reads for another.
  private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
  private static let identifierLength = 10
  /// Five bits each: 260 bits.
  private static let secretLength = 52

  private static func letters(
    _ count: Int, using generator: inout some RandomNumberGenerator
  ) -> [UInt8] {
    (0..<count).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &generator)] }
  }
}

extension TokenSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "(the secret of token \(identifier))" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
