internal import COpenSSL

/// What connections have in common: TLS 1.2 at least, one protocol that is spoken over it, and whom
/// to trust, or whom to be.
package final class TLSContext: @unchecked Sendable {
  /// OpenSSL lets any thread make sessions of it.
  let pointer: OpaquePointer

  /// For those who connect: they want a certificate that they can trust.
  ///
  /// - Parameters:
  ///   - protocolName: what is to be spoken over TLS, as ALPN calls it.
  ///   - authorities: a file of certificates in PEM to be trusted instead of the system's.
  /// - Throws: that the file cannot be read.
  package init(
    connectingBy protocolName: StaticString, trusting authorities: String?
  ) throws(TLSFault) {
    guard let made = copenssl_context_connecting(protocolName.characters, authorities) else {
      throw TLSFault(.broken, "the certificates cannot be read")
    }
    pointer = made
  }

  /// For those who are connected to.
  ///
  /// - Parameters:
  ///   - protocolName: who speaks nothing of this name is turned away; nil if it does not matter.
  ///   - certificates: a file in PEM, the server's own certificate first.
  ///   - key: a file in PEM.
  /// - Throws: that a file cannot be read, or that they do not belong together.
  package init(
    acceptingBy protocolName: StaticString?, certificates: String, key: String
  ) throws(TLSFault) {
    let made = copenssl_context_accepting(protocolName?.characters, certificates, key)
    guard let made else { throw TLSFault(.broken, "the certificates or the key cannot be read") }
    pointer = made
  }

  /// For members of a group who are connected to by other members, and by nobody else.
  init(ofMember pointer: OpaquePointer) {
    self.pointer = pointer
  }

  deinit {
    copenssl_context_release(pointer)
  }
}

extension StaticString {
  /// As C knows them, ended by a zero.
  fileprivate var characters: UnsafePointer<CChar> {
    UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
  }
}
