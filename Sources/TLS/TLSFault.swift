internal import COpenSSL

/// Why there is no TLS, or no more of it.
package struct TLSFault: Error, Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// Nobody who is trusted has signed the certificate.
    case untrusted
    /// The time of a certificate is over, or has not begun.
    case outOfDate
    /// The certificate is for another name or address.
    case otherName
    /// The other side does not speak what is to be spoken over TLS.
    case otherProtocol
    /// The connection ended before the other side had said that it was at its end.
    case cutOff
    case broken
  }

  package let kind: Kind
  /// OpenSSL's own, or what takes their place.
  package let words: String

  init(_ kind: Kind, _ words: String) {
    self.kind = kind
    self.words = words
  }

  static let cutOff = TLSFault(.cutOff, "the connection ended without notice")
  static let memory = TLSFault(.broken, "there is not enough memory")

  init(_ fault: COpenSSLFault, saying words: String) {
    switch fault {
    case .untrusted: self.init(.untrusted, words)
    case .outOfDate: self.init(.outOfDate, words)
    case .otherName: self.init(.otherName, words)
    case .otherProtocol: self.init(.otherProtocol, words)
    case .broken: self.init(.broken, words)
    }
  }
}
