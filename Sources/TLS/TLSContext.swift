internal import COpenSSL

/// The shared settings of connections: TLS 1.2 or later and one application protocol. A client's
/// settings also include the trusted certificates; a server's, its own certificate; and a node's,
/// the certificates of the fleet's authority.
package final class TLSContext: @unchecked Sendable {
  /// OpenSSL's context, with which any thread may create sessions.
  let pointer: OpaquePointer

  /// Creates a context for clients, which verify the server's certificate.
  ///
  /// - Parameters:
  ///   - protocolName: the application protocol, as an ALPN name.
  ///   - authorities: a PEM file of trusted certificates; nil trusts the system's.
  /// - Throws: if the file cannot be read.
  package init(
    connectingBy protocolName: StaticString, trusting authorities: String?
  ) throws(TLSError) {
    guard let context = copenssl_context_connecting(protocolName.characters, authorities) else {
      throw TLSError(.broken, "the certificates cannot be read")
    }
    pointer = context
  }

  /// Creates a context for servers.
  ///
  /// - Parameters:
  ///   - protocolName: clients that do not offer this ALPN name are rejected; nil accepts all
  ///     clients.
  ///   - certificates: a PEM file, the server's own certificate first.
  ///   - key: a PEM file with the certificate's key.
  /// - Throws: if a file cannot be read, or the key does not match the certificate.
  package init(
    acceptingBy protocolName: StaticString?, certificates: String, key: String
  ) throws(TLSError) {
    let context = copenssl_context_accepting(protocolName?.characters, certificates, key)
    guard let context else { throw TLSError(.broken, "the certificates or the key cannot be read") }
    pointer = context
  }

  /// Wraps a context for members of a group, which accepts only other members.
  init(ofMember pointer: OpaquePointer) {
    self.pointer = pointer
  }

  deinit {
    copenssl_context_release(pointer)
  }
}

extension StaticString {
  /// The null-terminated characters, for C.
  fileprivate var characters: UnsafePointer<CChar> {
    UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
  }
}
