package import Reminders

/// Keyed hashes by which a store looks up identities (rule E5). Each store has its own keys, so
/// that clients cannot construct collisions. Values with equal hashes are still compared.
package struct IdentityHash: Sendable {
  /// The two keys of a store. The two hashes of a value, one by each key, are together as strong as
  /// one hash of 128 bits.
  package struct Keys: Hashable, Sendable {
    let first: SipHash.Key
    let second: SipHash.Key
  }

  /// The number of bits of a hash. Tests use fewer than 64 to force collisions.
  private let width: Int
  private let keys: Keys

  package init(width: Int = 64) {
    self.init(width: width, keys: Keys())
  }

  package init(width: Int = 64, keys: Keys) {
    self.width = width
    self.keys = keys
  }

  /// Returns hashes of the same width with other keys.
  package func keyed(by keys: Keys) -> IdentityHash { IdentityHash(width: width, keys: keys) }

  package func event(source: String, identifier: String) -> Int64 {
    narrowed(Self.hash(source, identifier, keys.first))
  }

  /// Returns the hash of an event by the second key. It replaces the comparison of texts that must
  /// not be stored, and always has 64 bits.
  package func eventRest(source: String, identifier: String) -> Int64 {
    Int64(bitPattern: Self.hash(source, identifier, keys.second))
  }

  private static func hash(_ source: String, _ identifier: String, _ key: SipHash.Key) -> UInt64 {
    var hash = SipHash(key: key)
    hash.add(source)
    hash.add(identifier)
    return hash.finished()
  }

  package func message(_ message: Message) -> Int64 {
    var hash = SipHash(key: keys.first)
    hash.add(message.reminder)
    hash.add(message.category)
    hash.add(message.title)
    hash.add(message.body)
    hash.add(message.details)
    for member in message.members { hash.add(member) }
    return narrowed(hash.finished())
  }

  package func phone(_ number: PhoneNumber) -> Int64 {
    narrowed(Self.hash(number.digits, keys.first))
  }

  /// Returns the two hashes of a name that must not be stored, one by each key. `rest` replaces the
  /// comparison of names, and always has 64 bits.
  package func name(_ name: String) -> (first: Int64, rest: Int64) {
    (narrowed(Self.hash(name, keys.first)), Int64(bitPattern: Self.hash(name, keys.second)))
  }

  private static func hash(_ name: String, _ key: SipHash.Key) -> UInt64 {
    var hash = SipHash(key: key)
    hash.add(name)
    return hash.finished()
  }

  /// Returns the lowest `width` bits of a hash.
  private func narrowed(_ hash: UInt64) -> Int64 {
    Int64(bitPattern: width < 64 ? hash & (1 << UInt64(width) - 1) : hash)
  }
}

extension IdentityHash.Keys {
  package init() {
    self.init(first: SipHash.Key(first: 0, second: 0), second: SipHash.Key(first: 0, second: 0))
  }

  package static func random() -> Self {
    func key() -> SipHash.Key {
      SipHash.Key(first: .random(in: 0 ... .max), second: .random(in: 0 ... .max))
    }
    return Self(first: key(), second: key())
  }

  /// The stored form: the four words in hexadecimal.
  package var text: String {
    [first.first, first.second, second.first, second.second]
      .map { String($0, radix: 16) }.joined(separator: " ")
  }

  /// Parses the result of `text`; returns nil if it is malformed.
  package init?(_ text: String) {
    let words = text.split(separator: " ").compactMap { UInt64($0, radix: 16) }
    guard words.count == 4 else { return nil }
    self.init(
      first: SipHash.Key(first: words[0], second: words[1]),
      second: SipHash.Key(first: words[2], second: words[3]))
  }
}
