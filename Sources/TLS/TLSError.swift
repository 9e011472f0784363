internal import COpenSSL

/// The reason why a TLS connection failed.
package struct TLSError: Error, Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// No trusted authority has signed the certificate.
    case untrusted
    /// A certificate has expired or is not valid yet.
    case outOfDate
    /// The certificate is for another name or address.
    case otherName
    /// The peer does not speak the required protocol over TLS.
    case otherProtocol
    /// The connection ended without a closing message of TLS.
    case cutOff
    /// Any other failure.
    case broken
  }

  package let kind: Kind
  /// OpenSSL's message, or a replacement for it.
  package let words: String

  init(_ kind: Kind, _ words: String) {
    self.kind = kind
    self.words = words
  }

  static let cutOff = TLSError(.cutOff, "the connection ended without notice")
  static let memory = TLSError(.broken, "there is not enough memory")

  init(_ fault: COpenSSLFault, words: String) {
    switch fault {
    case .untrusted: self.init(.untrusted, words)
    case .outOfDate: self.init(.outOfDate, words)
    case .otherName: self.init(.otherName, words)
    case .otherProtocol: self.init(.otherProtocol, words)
    case .broken: self.init(.broken, words)
    }
  }
}
