import Cryptography
import Reminders
import Store

/// The store's keyed hashes, by which it looks up identities (rule E5) and assigns recipients to
/// shards. Values with equal hashes are still compared.
struct KeyedHash: Sendable {
  /// The hashes of a value. If the value itself must not be stored, `rest` is compared instead of
  /// the value.
  struct Value: Hashable, Sendable {
    /// The hash by which the value is looked up.
    var first: Int64
    /// A second hash, by another key.
    var rest: Int64
  }

  static let keyByteCount = 32

  /// The key of the hash that assigns recipients to shards.
  private let key: Secret
  /// The hashes of identities, which are the same as in a SQLite store, so that imported rows keep
  /// their hashes.
  private let identities: IdentityHash
  /// The number of shards, a power of two.
  let shards: Int

  /// Returns nil if the number of shards or a key is missing; every store has them as notes.
  init?(notes: [String: String]) {
    guard let shards = notes["shards"].flatMap({ Int($0) }), shards > 0,
      let key = notes["hash key"].map(HexText.bytes), key.count == Self.keyByteCount,
      let keys = notes[Self.identityNote].flatMap(IdentityHash.Keys.init)
    else { return nil }
    self.key = Secret(key)
    identities = IdentityHash(keys: keys)
    self.shards = shards
  }

  /// The name of the note that holds the keys of `identities`. A SQLite store uses the same name.
  static let identityNote = "hash keys"

  func event(source: String, identifier: String) -> Value {
    Value(
      first: identities.event(source: source, identifier: identifier),
      rest: identities.secondEventHash(source: source, identifier: identifier))
  }

  func event(_ identity: EventIdentity) -> Value {
    event(source: identity.source.text, identifier: identity.identifier.text)
  }

  func name(_ name: String) -> Value {
    let (first, rest) = identities.name(name)
    return Value(first: first, rest: rest)
  }

  func phone(_ number: PhoneNumber) -> Int64 { identities.phone(number) }

  func message(_ message: Message) -> Int64 { identities.message(message) }

  /// Returns the shard of a recipient. `SubmissionSchema` computes the same number in SQL.
  ///
  /// Each text is preceded by its length, so that different sequences of texts never give the same
  /// bytes.
  func shard(of name: String) -> Int64 {
    var bytes: [UInt8] = []
    for text in ["shard", name] {
      withUnsafeBytes(of: UInt64(text.utf8.count).littleEndian) { bytes.append(contentsOf: $0) }
      bytes.append(contentsOf: text.utf8)
    }
    let word = MessageCode.code(of: bytes, key: key).withUnsafeBytes {
      $0.loadUnaligned(as: Int64.self)
    }
    return Int64(littleEndian: word) & Int64(shards - 1)
  }
}

extension KeyedHash {
  static func randomKey() -> [UInt8] {
    (0..<keyByteCount).map { _ in UInt8.random(in: 0 ... .max) }
  }
}

/// Bytes in hexadecimal, as in the store's notes.
enum HexText {
  static func text(_ bytes: [UInt8]) -> String {
    bytes.map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined()
  }

  static func bytes(_ text: String) -> [UInt8] {
    let digits = Array(text)
    return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
      UInt8(String(digits[$0...($0 + 1)]), radix: 16)
    }
  }
}
