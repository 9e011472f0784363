internal import COpenSSL
internal import Glibc

/// The reason why a member's files cannot be used. The description is a sentence with the fault and
/// the remedy.
package struct TLSMembershipError: Error, Hashable, CustomStringConvertible {
  package let description: String

  init(_ path: String, unreadable number: CInt) {
    description =
      "\(path) cannot be read: \(String(cString: strerror(number))); make it readable for the "
      + "service's user"
  }

  init(_ path: String, longerThan bytes: Int) {
    description =
      "\(path) is larger than \(bytes) bytes; give a PEM file that contains only the "
      + "certificates or the key"
  }

  init(_ unusable: COpenSSLFile, of files: TLSMembership.Files) {
    description =
      switch unusable {
      case .authority: "\(files.authority) contains no PEM certificate; give the authority's"
      case .certificate:
        "\(files.certificate) contains no PEM certificate; give the one that the authority "
          + "has signed for this node"
      case .key:
        "\(files.key) contains no PEM private key without a password; give one"
      case .foreignKey:
        "\(files.key) is not the key of \(files.certificate); "
          + "give the certificate's key"
      case .none: "there is not enough memory for TLS"
      }
  }

  init(_ fault: TLSError, of files: TLSMembership.Files, at host: String) {
    let name = files.certificate
    description =
      switch fault.kind {
      case .otherName:
        "\(name) is not valid for \(host), where other nodes connect to this one; "
          + "use a certificate with this subjectAltName"
      case .outOfDate:
        "\(name), or \(files.authority), is not valid now (\(fault.words)); correct the clock, "
          + "or use a new certificate"
      default:
        "\(name) is not trusted by \(files.authority) (\(fault.words)); use a "
          + "certificate that this authority has signed for server and client"
      }
  }
}
