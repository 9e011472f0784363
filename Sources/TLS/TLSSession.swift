internal import COpenSSL
internal import NIOCore

/// The TLS state of one side of a connection, with bytes as input and output. After a failure the
/// session is unusable, except that `drain` still returns the alert for the peer.
final class TLSSession {
  /// The result of a step.
  enum Step {
    case done
    /// More bytes from the peer are needed.
    case needsInput
    /// The peer has ended its side of the connection.
    case ended
  }

  /// The maximum size of a record's content in bytes (RFC 8446, section 5.1).
  private static let recordMax = 16_384
  /// The maximum overhead of a record in bytes.
  private static let overheadMax = 64

  private let pointer: OpaquePointer

  /// - Parameter host: a name, or an address without brackets, which the certificate must match.
  init(_ context: TLSContext, connectingTo host: String) throws(TLSError) {
    guard let session = copenssl_session_connecting(context.pointer, host) else {
      throw TLSError(.broken, "\"\(host)\" is not a valid host name, or memory is short")
    }
    pointer = session
  }

  init(accepting context: TLSContext) throws(TLSError) {
    guard let session = copenssl_session_accepting(context.pointer) else { throw .memory }
    pointer = session
  }

  deinit {
    copenssl_session_release(pointer)
  }

  // MARK: - Ciphertext

  /// Receives bytes from the peer.
  func feed(_ ciphertext: ByteBuffer) throws(TLSError) {
    let isAccepted = ciphertext.withUnsafeReadableBytes { bytes in
      bytes.baseAddress.map { copenssl_session_feed(pointer, $0, bytes.count) } ?? true
    }
    if !isAccepted { throw .memory }
  }

  /// Moves the bytes that are to be sent into the buffer.
  func drain(into ciphertext: inout ByteBuffer) {
    let count = copenssl_session_waiting(pointer)
    guard count > 0 else { return }
    ciphertext.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { bytes in
      bytes.baseAddress.map { copenssl_session_drain(pointer, $0, bytes.count) } ?? 0
    }
  }

  // MARK: - Steps

  /// Continues the handshake with the bytes received so far.
  func shakeHands() throws(TLSError) -> Step {
    try step(copenssl_session_shake_hands(pointer))
  }

  /// The negotiated protocol, if any.
  var protocolName: String? {
    var count = 0
    guard let name = copenssl_session_protocol(pointer, &count) else { return nil }
    return String(decoding: UnsafeBufferPointer(start: name, count: count), as: UTF8.self)
  }

  /// Decrypts at most one record into the buffer.
  func read(into plaintext: inout ByteBuffer) throws(TLSError) -> Step {
    var result = COpenSSLStep.needsInput
    plaintext.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.recordMax) { bytes in
      var count = 0
      if let start = bytes.baseAddress {
        result = copenssl_session_read(pointer, start, bytes.count, &count)
      }
      return count
    }
    return try step(result)
  }

  /// Encrypts bytes into the buffer, record by record, so that the session buffers little.
  func encrypt(_ plaintext: ByteBuffer, into ciphertext: inout ByteBuffer) throws(TLSError) {
    var rest = plaintext
    let recordCount = rest.readableBytes / Self.recordMax + 1
    ciphertext.reserveCapacity(
      minimumWritableBytes: rest.readableBytes + recordCount * Self.overheadMax)
    while rest.readableBytes > 0 {
      var written = 0
      let result = rest.withUnsafeReadableBytes { bytes in
        bytes.baseAddress.map { copenssl_session_write(pointer, $0, bytes.count, &written) }
      }
      guard let result, try step(result) == .done else {
        throw TLSError(.broken, "the peer requests a new handshake")
      }
      rest.moveReaderIndex(forwardBy: written)
      drain(into: &ciphertext)
    }
  }

  /// Adds the closing message to the bytes that `drain` returns.
  func addClosingMessage() {
    copenssl_session_conclude(pointer)
  }

  private func step(_ result: COpenSSLStep) throws(TLSError) -> Step {
    switch result {
    case .done: return .done
    case .needsInput: return .needsInput
    case .ended: return .ended
    case .failed: throw fault
    }
  }

  /// The failure of the last step.
  private var fault: TLSError {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: COPENSSL_WORDS_MAX) { words in
      guard let start = words.baseAddress else { return .memory }
      let fault = copenssl_session_fault(pointer, start)
      return TLSError(fault, words: String(cString: start))
    }
  }
}
