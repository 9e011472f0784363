import Foundation
import TLS
import TestSupport
import Testing

@testable import API

/// Faults of a node's certificate are reported before any node connects (rule F9).
@Suite struct TLSMembershipTests {
  /// Returns the text of the error, with file names instead of paths.
  private func fault(
    _ files: TLSMembership.Files, at host: String = "127.0.0.1"
  ) throws -> String {
    let certificates = try FleetCertificates.shared.get()
    let fault = #expect(throws: TLSMembershipError.self) {
      try certificates.membership(files, at: host)
    }
    let path = certificates.directory.path + "/"
    return fault?.description.replacing(path, with: "") ?? ""
  }

  @Test func `F9: the manual's commands make a valid certificate`() throws {
    let certificates = try FleetCertificates.shared.get()
    let membership = try certificates.membership()
    #expect(membership.certificate.starts(with: Array("-----BEGIN CERTIFICATE".utf8)))
  }

  /// A file may be replaced between two reads, so each file is read only once.
  @Test func `F9: each file is read once`() throws {
    let certificates = try FleetCertificates.shared.get()
    let names = ["node.pem", "node.key", "authority.pem"]
    let pipes = try names.map { name in
      let pipe = Pipe()
      try pipe.fileHandleForWriting.write(contentsOf: certificates.directory.content(of: name))
      try pipe.fileHandleForWriting.close()
      return pipe
    }
    let paths = pipes.map { "/dev/fd/\($0.fileHandleForReading.fileDescriptor)" }
    let membership = try certificates.membership(
      TLSMembership.Files(certificate: paths[0], key: paths[1], authority: paths[2]))
    #expect(membership.certificate == Array(try certificates.directory.content(of: "node.pem")))
  }

  @Test func `F9: the error for each fault of a certificate names the remedy`() throws {
    let certificates = try FleetCertificates.shared.get()
    #expect(
      try fault(certificates.files("missing")).hasPrefix(
        "missing.pem cannot be read: No such file or directory; make it"))
    #expect(
      try fault(certificates.files("long", key: "node")).hasPrefix(
        "long.pem is larger than 1048576 bytes; give a PEM file"))
    #expect(
      try fault(certificates.files("empty", key: "node")).hasPrefix(
        "empty.pem contains no PEM certificate; give the one"))
    #expect(
      try fault(certificates.files(authority: "empty")).hasPrefix(
        "empty.pem contains no PEM certificate; give the authority's"))
    #expect(
      try fault(certificates.files("node", key: "locked")).hasPrefix(
        "locked.key contains no PEM private key without a password"))
    #expect(
      try fault(certificates.files("node", key: "stranger")).hasPrefix(
        "stranger.key is not the key of node.pem; give the certificate's key"))
    #expect(
      try fault(certificates.files("late")).contains(
        "late.pem, or authority.pem, is not valid now (certificate has expired)"))
    #expect(
      try fault(certificates.files("stranger")).contains(
        "stranger.pem is not trusted by authority.pem"))
    #expect(
      try fault(certificates.files("server")).contains("for server and client"))
    #expect(
      try fault(certificates.files(), at: "10.0.0.5").hasPrefix(
        "node.pem is not valid for 10.0.0.5, where other nodes connect"))
  }
}
