internal import COpenSSL
internal import Glibc

/// A secret value: a key, a token, a password.
///
/// Its description is always `(secret)`: in interpolation, `print`, `dump`, a debugger's summary
/// and a mirror. It cannot be encoded. Code that sends the value reads it by `withBytes` or
/// `reveal`. Copies share the memory, which is wiped when the last copy is released.
package struct Secret: Sendable {
  private let storage: Storage

  package init(_ text: String) {
    self.init(Array(text.utf8))
  }

  package init(_ bytes: some Collection<UInt8>) {
    self.init(capacity: bytes.count) { buffer in
      buffer.copyBytes(from: bytes)
      return bytes.count
    }
  }

  /// - Parameter fill: writes at most `capacity` bytes and returns how many.
  package init<Failure: Error>(
    capacity: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
  ) throws(Failure) {
    storage = Storage(capacity: capacity)
    storage.count = try fill(storage.buffer)
  }

  package var isEmpty: Bool { storage.count == 0 }
  package var count: Int { storage.count }

  /// Calls `body` with the bytes, which must not outlive the call.
  package func withBytes<Value, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try body(storage.contents)
  }

  /// Returns the text, for libraries that accept nothing else. Its memory is not wiped. Invalid
  /// UTF-8 is replaced.
  package func reveal() -> String {
    withBytes { String(decoding: $0, as: UTF8.self) }
  }
}

extension Secret {
  /// Derives a key (HKDF with SHA-256, RFC 5869).
  ///
  /// - Parameters:
  ///   - salt: empty for none.
  ///   - info: distinguishes the keys that are derived from one secret.
  ///   - count: the length of the derived key in bytes, 1 to 8,160 (255 hashes).
  package func derived(salt: [UInt8] = [], info: [UInt8], count: Int) -> Secret {
    let key = withBytes { secret in
      Secret(count: count) {
        copenssl_hkdf(
          secret.baseAddress, secret.count, salt, salt.count, info, info.count, $0, count)
      }
    }
    guard let key else { preconditionFailure("libcrypto cannot derive a key of \(count) bytes") }
    return key
  }

  /// Creates a secret of `count` bytes. `write` writes all of them and returns true, or returns
  /// false if it fails; the result is then nil.
  init?(count: Int, writtenBy write: (UnsafeMutablePointer<UInt8>) -> Bool) {
    var isWritten = false
    self.init(capacity: count) { buffer in
      isWritten = buffer.bindMemory(to: UInt8.self).baseAddress.map(write) ?? false
      return count
    }
    guard isWritten else { return nil }
  }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "(secret)" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

extension Secret: Equatable {
  /// Compares two secrets, in constant time if their lengths are equal.
  package static func == (left: Secret, right: Secret) -> Bool {
    left.withBytes { left in
      right.withBytes { right in
        ConstantTime.areEqual(left, right)
      }
    }
  }
}

/// Memory that is wiped before it is freed.
private final class Storage: @unchecked Sendable {
  // The class is `@unchecked Sendable`, because the buffer is written only during initialization,
  // before it is shared.
  let buffer: UnsafeMutableRawBufferPointer
  var count = 0

  init(capacity: Int) {
    buffer = .allocate(byteCount: capacity, alignment: 1)
  }

  var contents: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: buffer[..<count]) }

  deinit {
    if let address = buffer.baseAddress { explicit_bzero(address, buffer.count) }
    buffer.deallocate()
  }
}
