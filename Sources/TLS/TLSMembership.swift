internal import COpenSSL
internal import Glibc

/// The membership in a closed group, whose members authenticate each other with certificates signed
/// by the group's own authority.
package struct TLSMembership: Sendable {
  /// The paths of a member's PEM files.
  package struct Files: Hashable, Sendable {
    /// The certificates: first the member's own, then the intermediate ones.
    package var certificate: String
    /// The key of the member's certificate, without a password.
    package var key: String
    /// The certificates of the group's authority.
    package var authority: String

    package init(certificate: String, key: String, authority: String) {
      (self.certificate, self.key, self.authority) = (certificate, key, authority)
    }
  }

  /// The context for other members' connections to this one.
  package let serverContext: TLSContext
  /// The certificates in PEM, for connections to other members.
  package let certificate: [UInt8]
  /// The key of the member's certificate in PEM.
  package let key: [UInt8]
  /// The certificates of the group's authority in PEM.
  package let authority: [UInt8]

  /// Reads the files, and checks that other members would trust this one. Each file is read only
  /// once, so that the checked content is the one used.
  ///
  /// - Parameters:
  ///   - host: the name or address (without brackets) at which the others connect.
  ///   - seconds: the current time, since 1970.
  package init(
    _ files: Files, at host: String, seconds: Int64
  ) throws(TLSMembershipError) {
    authority = try Self.read(files.authority)
    certificate = try Self.read(files.certificate)
    key = try Self.read(files.key)
    var unusableFile = COpenSSLFile.none
    let context = Self.context(certificate, key, authority, &unusableFile)
    guard let context else { throw TLSMembershipError(unusableFile, of: files) }
    serverContext = TLSContext(ofMember: context)
    if let fault = Self.fault(context, host, seconds) {
      throw TLSMembershipError(fault, of: files, at: host)
    }
  }

  private static func context(
    _ certificate: [UInt8], _ key: [UInt8], _ authority: [UInt8], _ unusableFile: inout COpenSSLFile
  ) -> OpaquePointer? {
    certificate.withUnsafeBytes { certificate in
      key.withUnsafeBytes { key in
        authority.withUnsafeBytes { authority in
          copenssl_context_of_member(
            COpenSSLText(certificate), COpenSSLText(key), COpenSSLText(authority), &unusableFile)
        }
      }
    }
  }

  /// Returns the reason why other members would not trust this one; nil if they would.
  private static func fault(
    _ context: OpaquePointer, _ host: String, _ seconds: Int64
  ) -> TLSError? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: COPENSSL_WORDS_MAX) { words in
      guard let start = words.baseAddress else { return .memory }
      var fault = COpenSSLFault.broken
      if copenssl_context_is_trusted(context, host, seconds, &fault, start) { return nil }
      return TLSError(fault, words: String(cString: start))
    }
  }

  /// The maximum size of a file in bytes; certificates and keys are smaller.
  private static let bytesMax = 1 << 20

  private static func read(_ path: String) throws(TLSMembershipError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw TLSMembershipError(path, unreadable: errno) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 16_384)
    while bytes.count <= bytesMax {
      let count = Glibc.read(descriptor, &piece, piece.count)
      guard count >= 0 else { throw TLSMembershipError(path, unreadable: errno) }
      if count == 0 { return bytes }
      bytes += piece[..<count]
    }
    throw TLSMembershipError(path, longerThan: bytesMax)
  }
}

extension COpenSSLText {
  fileprivate init(_ bytes: UnsafeRawBufferPointer) {
    self.init(start: bytes.baseAddress, count: bytes.count)
  }
}
