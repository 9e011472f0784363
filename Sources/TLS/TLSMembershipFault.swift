internal import COpenSSL
internal import Glibc

/// Why nobody can be a member with these files: a sentence that says what to do.
package struct TLSMembershipFault: Error, Hashable, CustomStringConvertible {
  package let description: String

  init(_ path: String, unreadable number: CInt) {
    description =
      "\(path) cannot be read: \(String(cString: strerror(number))); put it there, readable for "
      + "the service's user"
  }

  init(_ path: String, longerThan bytes: Int) {
    description =
      "\(path) has more than \(bytes) bytes; give a file with nothing in it but what is asked for, "
      + "in PEM"
  }

  init(_ unusable: COpenSSLFile, of files: TLSMembership.Files) {
    description =
      switch unusable {
      case .authority: "\(files.authority) holds no certificate in PEM; give the authority's own"
      case .certificate:
        "\(files.certificate) holds no certificate in PEM; give the one that the authority has "
          + "signed for this node"
      case .key:
        "\(files.key) holds no private key in PEM, or one with a password; give one without"
      case .foreignKey:
        "\(files.key) is not the key of \(files.certificate); give the key for which the "
          + "certificate was signed"
      case .none: "there is not enough memory for TLS"
      }
  }

  init(_ fault: TLSFault, of files: TLSMembership.Files, at host: String) {
    let name = files.certificate
    description =
      switch fault.kind {
      case .otherName:
        "\(name) is not for \(host), where other nodes connect to this one; have one signed whose "
          + "subjectAltName has it"
      case .outOfDate:
        "\(name), or \(files.authority), does not hold now (\(fault.words)); set the clock right, "
          + "or have a new one signed"
      default:
        "\(name) would not be trusted by who trusts \(files.authority) (\(fault.words)); have it "
          + "signed by that authority, for server and client"
      }
  }
}
