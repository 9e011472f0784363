import Foundation
import TestSupport
import Testing

/// A mail server in Python on the loopback that records its mails.
final class SMTPPeer {
  struct Message: Decodable {
    var connection: Int
    var tls: Bool
    var user: String?
    /// The name in the client's EHLO.
    var hello: String
    var sender: String
    var options: [String]
    var recipients: [String]
    /// The raw mail in base64.
    var content: String
    /// The headers as parsed by Python.
    var headers: [[String]]
    var text: String
    var html: String
    var defects: [String]

    var raw: String {
      String(decoding: Data(base64Encoded: content) ?? Data(), as: UTF8.self)
    }

    /// The values of all header fields of a name.
    func headers(_ name: String) -> [String] { headers.filter { $0[0] == name }.map { $0[1] } }
  }

  let port: Int
  private let process = Process()
  private let directory: TemporaryDirectory
  private var file: String { directory.path + "/received" }

  /// Whether the tool is installed; `make test` fetches it.
  static let isAvailable = FileManager.default.isExecutableFile(atPath: python)
  static let comment: Comment = "aiosmtpd is missing; run `make test`, which fetches it"

  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
  private static let python = root + "/.build/tools/aiosmtpd/bin/python"

  init(_ arguments: [String] = [], port: Int = 0) throws {
    directory = try TemporaryDirectory()
    let output = Pipe()
    process.executableURL = URL(filePath: Self.python)
    process.arguments =
      [
        Self.root + "/Tests/SinksTests/SMTP/smtp_peer.py", "--received",
        directory.path + "/received", "--port", "\(port)",
      ] + arguments
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    // The first line is the port, and there is no other.
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    self.port = try #require(Int(line.trimmingCharacters(in: .whitespacesAndNewlines)))
  }

  deinit { stop() }

  /// Uses SIGKILL, because the threads of tests block other signals, and child processes inherit
  /// that.
  func stop() {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }

  /// For each mail whose answer is delayed or missing, the number of mails that the server had
  /// accepted when the wait ended.
  var acceptedCountsAfterWaits: [Int] { lines(in: file + ".waited").compactMap { Int($0) } }

  /// The mechanism of each attempt to log in with a user and a password.
  var logins: [String] { lines(in: file + ".logins") }

  private func lines(in path: String) -> [String] {
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init)
  }

  var received: [Message] {
    get throws {
      guard let text = try? String(contentsOfFile: file, encoding: .utf8) else { return [] }
      return try text.split(separator: "\n").map {
        try JSONDecoder().decode(Message.self, from: Data($0.utf8))
      }
    }
  }
}

/// The paths of a certificate for a name and of its key, both created for this test run.
struct TestCertificate: Sendable {
  let certificate: String
  let key: String
  private let directory: TemporaryDirectory

  static let localhost = Result { try TestCertificate(name: "localhost") }
  static let stranger = Result { try TestCertificate(name: "elsewhere.test") }

  init(name: String) throws {
    directory = try TemporaryDirectory()
    certificate = directory.path + "/certificate.pem"
    key = directory.path + "/key.pem"
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
      "-days", "2", "-subj", "/CN=\(name)", "-addext", "subjectAltName=DNS:\(name)", "-keyout",
      key, "-out", certificate,
    ]
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
  }

  var arguments: [String] { ["--certificate", certificate, "--key", key] }
}
