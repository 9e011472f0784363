internal import COpenSSL
internal import NIOCore

/// One side of a connection as bytes that are put in and taken out. What fails cannot be used on,
/// but what it has to send tells the other side why.
final class TLSSession {
  /// How far something has come.
  enum Step {
    case done
    /// More has to come from the other side.
    case wanting
    /// The other side has said that it sends no more.
    case ended
  }

  /// What a record holds (RFC 8446, section 5.1), and what is around it at most.
  private static let recordMax = 16_384
  private static let frameMax = 64

  private let pointer: OpaquePointer

  /// - Parameter host: a name, or an address without brackets, that the certificate has to be for.
  init(_ context: TLSContext, connectingTo host: String) throws(TLSFault) {
    guard let made = copenssl_session_connecting(context.pointer, host) else {
      throw TLSFault(.broken, "\"\(host)\" is not the name of a host, or memory is short")
    }
    pointer = made
  }

  init(accepting context: TLSContext) throws(TLSFault) {
    guard let made = copenssl_session_accepting(context.pointer) else { throw .memory }
    pointer = made
  }

  deinit {
    copenssl_session_release(pointer)
  }

  // MARK: - Bytes as they travel

  func feed(_ ciphertext: ByteBuffer) throws(TLSFault) {
    let isTaken = ciphertext.withUnsafeReadableBytes { bytes in
      bytes.baseAddress.map { copenssl_session_feed(pointer, $0, bytes.count) } ?? true
    }
    if !isTaken { throw .memory }
  }

  /// Takes out what is to be sent.
  func drain(into ciphertext: inout ByteBuffer) {
    let count = copenssl_session_waiting(pointer)
    guard count > 0 else { return }
    ciphertext.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { bytes in
      bytes.baseAddress.map { copenssl_session_drain(pointer, $0, bytes.count) } ?? 0
    }
  }

  // MARK: - Steps

  func shakeHands() throws(TLSFault) -> Step {
    try step(copenssl_session_shake_hands(pointer))
  }

  /// What was agreed to be spoken, if anything was.
  var protocolName: String? {
    var count = 0
    guard let name = copenssl_session_protocol(pointer, &count) else { return nil }
    return String(decoding: UnsafeBufferPointer(start: name, count: count), as: UTF8.self)
  }

  /// Adds a record's worth of what the other side says.
  func read(into plaintext: inout ByteBuffer) throws(TLSFault) -> Step {
    var result = COpenSSLStep.wanting
    plaintext.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.recordMax) { bytes in
      var count = 0
      if let start = bytes.baseAddress {
        result = copenssl_session_read(pointer, start, bytes.count, &count)
      }
      return count
    }
    return try step(result)
  }

  /// Adds what a text becomes on its way. It is taken out record by record, so that the session
  /// holds little.
  func encrypt(_ plaintext: ByteBuffer, into ciphertext: inout ByteBuffer) throws(TLSFault) {
    var rest = plaintext
    let records = rest.readableBytes / Self.recordMax + 1
    ciphertext.reserveCapacity(minimumWritableBytes: rest.readableBytes + records * Self.frameMax)
    while rest.readableBytes > 0 {
      var taken = 0
      let result = rest.withUnsafeReadableBytes { bytes in
        bytes.baseAddress.map { copenssl_session_write(pointer, $0, bytes.count, &taken) }
      }
      guard let result, try step(result) == .done else {
        throw TLSFault(.broken, "the other side wants to begin anew")
      }
      rest.moveReaderIndex(forwardBy: taken)
      drain(into: &ciphertext)
    }
  }

  /// Says that no more will be said.
  func conclude() {
    copenssl_session_conclude(pointer)
  }

  private func step(_ result: COpenSSLStep) throws(TLSFault) -> Step {
    switch result {
    case .done: return .done
    case .wanting: return .wanting
    case .ended: return .ended
    case .failed: throw fault
    }
  }

  private var fault: TLSFault {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: COPENSSL_WORDS_MAX) { words in
      guard let start = words.baseAddress else { return .memory }
      let fault = copenssl_session_fault(pointer, start)
      return TLSFault(fault, saying: String(cString: start))
    }
  }
}
