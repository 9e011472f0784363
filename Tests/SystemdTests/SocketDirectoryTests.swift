import Glibc
import Systemd
import Testing

@Suite struct SocketDirectoryTests {
  private let user = getuid()

  private struct CannotBeMade: Error {}

  @Test func `the directory is created for its owner alone`() throws {
    try inTemporaryDirectory { parent in
      let directory = SocketDirectory(path: parent + "/own", mode: 0o700)
      try directory.prepare(for: user)
      var status = stat()
      #expect(lstat(directory.path, &status) == 0)
      #expect(status.st_mode & 0o777 == 0o700)
      try directory.prepare(for: user)
    }
  }

  @Test func `another user's directory is refused`() throws {
    try inTemporaryDirectory { parent in
      let directory = SocketDirectory(path: parent, mode: 0o700)
      let error = #expect(throws: SocketDirectoryError.self) {
        try directory.prepare(for: user + 1)
      }
      #expect(error?.description.contains("belongs to user \(user), not to you") == true)
    }
  }

  @Test func `a directory open to others is refused`() throws {
    try inTemporaryDirectory { parent in
      #expect(chmod(parent, 0o770) == 0)
      let error = #expect(throws: SocketDirectoryError.self) {
        try SocketDirectory(path: parent, mode: 0o700).check(for: user)
      }
      #expect(error?.description.contains("is open to others; chmod it to 700") == true)
    }
  }

  @Test func `a symbolic link is refused`() throws {
    try inTemporaryDirectory { parent in
      let link = parent + "/link"
      #expect(symlink(parent, link) == 0)
      let error = #expect(throws: SocketDirectoryError.self) {
        try SocketDirectory(path: link, mode: 0o700).prepare(for: user)
      }
      #expect(error?.description.contains("is not a directory") == true)
    }
  }

  @Test func `a directory that cannot be created is an error`() throws {
    try inTemporaryDirectory { parent in
      let error = #expect(throws: SocketDirectoryError.self) {
        try SocketDirectory(path: parent + "/a/b", mode: 0o700).prepare(for: user)
      }
      #expect(error?.description.contains("cannot be created: No such file") == true)
    }
  }

  private func inTemporaryDirectory(_ body: (String) throws -> Void) throws {
    var template = Array("/tmp/chimed-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw CannotBeMade() }
    let path = template.withUnsafeBufferPointer { buffer in
      String(decoding: buffer.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    defer { for entry in ["/own", "/link", ""] { remove(path + entry) } }
    try body(path)
  }
}
