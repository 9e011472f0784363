import Cryptography

/// A complete token: `chimed_`, a public identifier, `_`, and the secret. Printing or dumping one
/// shows a placeholder.
package struct TokenSecret: Sendable {
  /// The public part, by which the record is found.
  package let identifier: String
  private let secret: [UInt8]

  /// Creates a random token. The generator must be cryptographic, such as the system's.
  package init(using generator: inout some RandomNumberGenerator) {
    identifier = String(
      decoding: Self.letters(Self.identifierLength, using: &generator), as: UTF8.self)
    secret = Self.letters(Self.secretLength, using: &generator)
  }

  /// Parses a complete token; nil if the text is not one.
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

  /// The complete token, shown once to its creator.
  package func reveal() -> String {
    String(decoding: Self.prefix, as: UTF8.self) + identifier + "_"
      + String(decoding: secret, as: UTF8.self)
  }

  package var digest: [UInt8] { SHA256.digest(secret) }

  /// Whether the token belongs to a record. The comparison takes constant time, so that its
  /// duration reveals nothing.
  package func matches(_ record: TokenRecord) -> Bool {
    ConstantTime.areEqual(record.digest, digest)
  }

  private static let prefix = Array("chimed_".utf8)
  /// The letters of a token. No two of them look alike, and a double click on a token selects all
  /// of it.
  private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
  private static let identifierLength = 10
  /// The number of letters of the secret, which have five bits each: 260 bits.
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
