import Glibc

/// Something that nobody is to see: a key, a token, a password.
///
/// Whatever shows a value shows `(secret)`: interpolation, `print`, `dump`, a debugger's summary, a
/// mirror. It cannot be encoded. What it holds is read by `withBytes` or `reveal`, at the place
/// that sends it; a copy shares the memory, which is wiped when the last one is gone.
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

  /// Lends the bytes; they must not outlive the call.
  package func withBytes<Value, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try body(storage.contents)
  }

  /// The text, in memory that nobody wipes; for libraries that take nothing else. What is no UTF-8
  /// comes out mended.
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
  /// Takes as long wherever the two differ.
  package static func == (left: Secret, right: Secret) -> Bool {
    left.withBytes { left in
      right.withBytes { right in
        left.count == right.count && zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
      }
    }
  }
}

/// Memory of its own, wiped before it is given back.
private final class Storage: @unchecked Sendable {
  // Unchecked because it is written to before anybody else has it, and never again.
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
