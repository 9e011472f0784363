import Cryptography
import Foundation
import Systemd
import Testing

/// Rule S4: secrets come from systemd's credentials.
@Suite struct CredentialsTests {
  private final class Directory {
    let path = "/tmp/chimed-credentials-\(UUID().uuidString)"

    init() throws {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ content: String, as name: String) throws {
      try Data(content.utf8).write(to: URL(filePath: path + "/" + name))
    }
  }

  private let directory = Result { try Directory() }

  private func errorText(_ name: String, in directory: String?) -> String {
    let error = #expect(throws: CredentialError.self) {
      try Credentials(directory: directory).read(name)
    }
    return error.map { "\($0)" } ?? ""
  }

  @Test(arguments: [
    ("token", "token"), ("token\n", "token"), ("token\r\n", "token"),
    ("two\nlines\n", "two\nlines"),
    (" token \n\n", " token \n"), ("token\r", "token\r"),
  ])
  func `a credential is its file's content without the last line break`(
    content: String, secret: String
  ) throws {
    let directory = try directory.get()
    try directory.write(content, as: "smtp")
    #expect(try Credentials(directory: directory.path).read("smtp").reveal() == secret)
  }

  @Test func `a credential of 1 MiB is read, and a larger one is refused`() throws {
    let directory = try directory.get()
    let large = String(repeating: "x", count: Credentials.byteCountMax)
    try directory.write(large, as: "large")
    #expect(try Credentials(directory: directory.path).read("large").reveal() == large)
    try directory.write(large + "x", as: "large")
    #expect(errorText("large", in: directory.path).contains("larger than 1048576 bytes"))
  }

  @Test(arguments: [
    "", ".", "..", "a/b", "../shadow", "/etc/shadow", "a:b", "a\nb", "\u{7f}", "ä",
    String(repeating: "n", count: 256),
  ])
  func `an invalid credential name is refused before a file is opened`(name: String) throws {
    #expect(!Credentials.isName(name))
    #expect(errorText(name, in: "/").contains("is not a valid credential name"))
  }

  @Test func `a secret file is read by its path, also without credentials`() throws {
    let directory = try directory.get()
    try directory.write("secret\n", as: "file")
    let path = directory.path + "/file"
    let name = Credentials.file(path)
    #expect(try Credentials(directory: nil).read(name).reveal() == "secret")
    #expect(!Credentials.isName(name))
    try directory.write("", as: "file")
    #expect(
      errorText(name, in: nil)
        == "the secret file \(path) is empty; write the secret to it, then: chimectl reload")
    let missing = directory.path + "/none"
    #expect(
      errorText(Credentials.file(missing), in: nil).hasPrefix(
        "the secret file \(missing) is missing; "))
  }

  @Test(arguments: ["smtp", "fcm.json", "a b", String(repeating: "n", count: 255)])
  func `valid file names are credential names`(name: String) {
    #expect(Credentials.isName(name))
  }

  @Test func `the error of a missing credential names the key to set`() throws {
    let directory = try directory.get()
    let remedy = "LoadCredential=smtp:/etc/credstore/smtp"
    let missing = errorText("smtp", in: directory.path)
    #expect(missing.hasPrefix("the credential \"smtp\" is missing;") && missing.contains(remedy))
    let none = errorText("smtp", in: nil)
    #expect(none.contains("the service has no credentials") && none.contains(remedy))
  }

  @Test func `empty files, pipes and directories are refused`() throws {
    let directory = try directory.get()
    for content in ["", "\n"] {
      try directory.write(content, as: "smtp")
      #expect(errorText("smtp", in: directory.path).contains("is empty"))
    }
    #expect(mkfifo(directory.path + "/pipe", 0o600) == 0)
    #expect(errorText("pipe", in: directory.path).contains("it is not a regular file"))
    #expect(mkdir(directory.path + "/directory", 0o700) == 0)
    #expect(errorText("directory", in: directory.path).contains("it is not a regular file"))
  }
}
