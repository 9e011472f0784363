internal import COpenSSL

/// The bytes of a symmetric key. They are wiped when the last owner releases them, and cannot be
/// printed.
package final class SecretKey: @unchecked Sendable {
  private let buffer: UnsafeMutableRawBufferPointer

  package init(_ bytes: some Collection<UInt8>) {
    buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    buffer.copyBytes(from: bytes)
  }

  /// Creates a key that a function writes; nil if the function returns false.
  init?(count: Int, writtenBy write: (UnsafeMutablePointer<UInt8>) -> Bool) {
    buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
    let start = buffer.bindMemory(to: UInt8.self).baseAddress
    guard let start, write(start) else { return nil }
  }

  deinit {
    if let start = buffer.baseAddress { copenssl_wipe(start, buffer.count) }
    buffer.deallocate()
  }

  package var count: Int { buffer.count }

  package func withBytes<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value
  {
    try withExtendedLifetime(self) { try body(UnsafeRawBufferPointer(buffer)) }
  }
}

extension SecretKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "(a key of \(count) bytes)" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
