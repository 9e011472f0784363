import Foundation
import TLS
import TestSupport
import Testing

/// Certificates of nodes, made by the manual's commands.
///
/// The certificate `node` is valid for 127.0.0.1. Others have a fault: `late` has expired, `away`
/// is for another address, `server` is not for clients, and `stranger` is of another authority.
struct FleetCertificates {
  let directory: TestSupport.TemporaryDirectory

  static let shared = Result { try FleetCertificates() }

  private static let manual = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../config/manual/chimed-fleet.7").standardized

  init() throws {
    directory = try TestSupport.TemporaryDirectory()
    let commands = try Self.commands()
    try #require(commands.count == 2)
    let (authority, node) = (
      commands[0], commands[1].replacing("10.0.0.5", with: "127.0.0.1")
    )
    try directory.run(authority + node)
    try directory.run(
      node.replacing("node.", with: "late.").replacing("-days 825", with: "-days -1"))
    try directory.run(
      node.replacing("node.", with: "away.").replacing("127.0.0.1", with: "10.0.0.9"))
    try directory.run(node.replacing("node.", with: "server.").replacing(",clientAuth", with: ""))
    try directory.run(
      (authority + node).replacing("authority.", with: "other.").replacing(
        "node.", with: "stranger."))
    try directory.run("openssl ec -in node.key -aes256 -passout pass:secret -out locked.key")
    try directory.write("nothing", to: "empty.pem")
    try directory.write(String(repeating: " ", count: (1 << 20) + 1), to: "long.pem")
  }

  /// The shell commands of the manual's section on certificates.
  private static func commands() throws -> [String] {
    let text = try String(contentsOf: manual, encoding: .utf8)
    let section = try #require(text.split(separator: ".Ss Certificates\n").dropFirst().first)
    let blocks = section.split(separator: ".Ss ")[0].split(separator: ".Bd -literal -offset 2n\n")
    return blocks.dropFirst().map {
      String($0.split(separator: ".Ed\n")[0]).replacing("\\e", with: "\\")
    }
  }

  func files(
    _ name: String = "node", key: String? = nil, authority: String = "authority"
  ) -> TLSMembership.Files {
    TLSMembership.Files(
      certificate: directory.path(of: name + ".pem"),
      key: directory.path(of: (key ?? name) + ".key"),
      authority: directory.path(of: authority + ".pem"))
  }

  func membership(
    _ files: TLSMembership.Files? = nil, at host: String = "127.0.0.1"
  ) throws -> TLSMembership {
    try TLSMembership(
      files ?? self.files(), at: host, seconds: Int64(Date().timeIntervalSince1970))
  }
}
