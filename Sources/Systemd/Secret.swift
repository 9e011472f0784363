import Glibc

/// A secret value: a key, a token, a password.
///
/// Its description is always `(secret)`: in interpolation, `print`, `dump`, a debugger's summary
/// and a mirror. It cannot be encoded. `withBytes` and `reveal` read the value, for the code that
/// sends it. Copies share the memory, which is wiped when the last copy is released.
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
  init<Failure: Error>(
    capacity: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
  ) throws(Failure) {
    storage = Storage(capacity: capacity)
    storage.count = try fill(storage.buffer)
  }

  package var isEmpty: Bool { storage.count == 0 }

  /// Calls `body` with the bytes, which must not outlive the call.
  package func withBytes<Value, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try body(storage.contents)
  }

  /// The text, in memory that is not wiped, for libraries that accept nothing else. Invalid UTF-8
  /// is replaced.
  package func reveal() -> String {
    withBytes { String(decoding: $0, as: UTF8.self) }
  }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "(secret)" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

extension Secret: Equatable {
  /// Compares in constant time for equal lengths.
  package static func == (left: Secret, right: Secret) -> Bool {
    left.withBytes { left in
      right.withBytes { right in
        left.count == right.count && zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
      }
    }
  }
}

/// Memory that is wiped before it is freed.
private final class Storage: @unchecked Sendable {
  // Unchecked because it is written only during initialization, before it is shared.
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
