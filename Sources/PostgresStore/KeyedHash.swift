import Crypto
import Reminders

/// The hashes by which a store finds what it keeps apart (rule E5): under a key of its own, so that
/// nobody can bring things that collide. What has the same hash is compared all the same.
struct KeyedHash: Sendable {
  /// Of a thing that must not be kept and so cannot be compared, the rest tells it apart.
  struct Value: Hashable, Sendable {
    var first: Int64
    var rest: Int64
  }

  static let keyByteCount = 32

  private let key: SymmetricKey
  /// A power of two.
  let shards: Int

  init(key: [UInt8], shards: Int) {
    self.key = SymmetricKey(data: key)
    self.shards = shards
  }

  func event(source: String, identifier: String) -> Value {
    value(of: ["event", source, identifier])
  }

  func event(_ identity: EventIdentity) -> Value {
    event(source: identity.source.text, identifier: identity.identifier.text)
  }

  func name(_ name: String) -> Value { value(of: ["name", name]) }

  func message(_ caption: Message) -> Int64 {
    let words = [
      "message", caption.reminder, caption.category, caption.title, caption.body, caption.details,
    ]
    return value(of: words + caption.members).first
  }

  /// The shard of a recipient.
  func shard(of name: String) -> Int64 {
    value(of: ["shard", name]).first & Int64(shards - 1)
  }

  /// Each text stands behind its length, so that no other texts give the same bytes.
  private func value(of texts: [String]) -> Value {
    var bytes: [UInt8] = []
    for text in texts {
      withUnsafeBytes(of: UInt64(text.utf8.count).littleEndian) { bytes.append(contentsOf: $0) }
      bytes.append(contentsOf: text.utf8)
    }
    let words = HMAC<SHA256>.authenticationCode(for: bytes, using: key).withUnsafeBytes { code in
      (code.loadUnaligned(as: Int64.self), code.loadUnaligned(fromByteOffset: 8, as: Int64.self))
    }
    return Value(first: Int64(littleEndian: words.0), rest: Int64(littleEndian: words.1))
  }
}

extension KeyedHash {
  static func randomKey() -> [UInt8] {
    (0..<keyByteCount).map { _ in UInt8.random(in: 0 ... .max) }
  }
}

/// Bytes as the store notes them, in hexadecimal.
enum HexText {
  static func text(_ bytes: [UInt8]) -> String {
    bytes.map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined()
  }

  static func bytes(_ text: String) -> [UInt8] {
    let letters = Array(text)
    return stride(from: 0, to: letters.count - 1, by: 2).compactMap {
      UInt8(String(letters[$0...($0 + 1)]), radix: 16)
    }
  }
}
