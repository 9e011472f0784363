package import Cryptography
import Glibc

/// The credentials that the service manager passes to this process (systemd.exec(5),
/// LoadCredential=): files in a directory that only the service can read.
///
/// Every reload reads the credentials again. But systemd fills the directory only when the service
/// starts, so a changed credential needs a restart. Instead of a credential, a secret can be any
/// other file, which needs only a reload.
package struct Credentials: Sendable {
  /// The size limit that systemd sets, in bytes.
  package static let byteCountMax = 1 << 20

  /// The directory of the credentials; nil if there are none.
  private let directory: String?

  package init(directory: String?) {
    self.directory = directory
  }

  /// Returns the credentials in $CREDENTIALS_DIRECTORY.
  package static func inherited() -> Credentials {
    let directory = getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) } ?? ""
    return Credentials(directory: directory.isEmpty ? nil : directory)
  }

  /// Whether the service manager filled the directory, so that only a restart renews it.
  package var areFixed: Bool { directory?.hasPrefix("/run/") ?? false }

  /// Reads a secret, without the final line break that editors and `echo` write.
  ///
  /// - Parameter name: the name of a credential, or a name that `file(_:)` returned.
  package func read(_ name: String) throws(CredentialError) -> Secret {
    let path = try path(of: name)
    // Opening a pipe would block until its other end is opened.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else {
      throw CredentialError(name, errno == ENOENT ? .missing : .unreadable(path, reason()))
    }
    defer { close(file) }
    let size = try size(of: file, name, path)
    let secret = try Secret(capacity: size) { buffer throws(CredentialError) in
      let count = fill(buffer, from: file)
      guard count >= 0 else { throw CredentialError(name, .unreadable(path, reason())) }
      return Self.countWithoutLineBreak(buffer[..<count])
    }
    guard !secret.isEmpty else { throw CredentialError(name, .empty(path)) }
    return secret
  }

  private static let filePrefix = "file:"

  /// Returns the name by which `read` finds a secret in a file that is no credential. No credential
  /// can have such a name.
  ///
  /// - Parameter path: the absolute path of the file.
  package static func file(_ path: String) -> String { filePrefix + path }

  /// Returns the path of a secret file for its name; nil for the name of a credential.
  static func path(ofFile name: String) -> String? {
    name.hasPrefix(filePrefix + "/") ? String(name.dropFirst(filePrefix.count)) : nil
  }

  private func path(of name: String) throws(CredentialError) -> String {
    if let path = Self.path(ofFile: name) { return path }
    guard Self.isName(name) else { throw CredentialError(name, .noName) }
    guard let directory else { throw CredentialError(name, .noCredentials) }
    return directory + "/" + name
  }

  /// Returns whether systemd accepts a name for a credential: a file name of 1 to 255 printable
  /// ASCII characters, without a colon.
  package static func isName(_ name: String) -> Bool {
    guard (1...255).contains(name.utf8.count), name != ".", name != ".." else { return false }
    return name.utf8.allSatisfy {
      (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ":")
    }
  }

  private func size(
    of file: Int32, _ name: String, _ path: String
  ) throws(CredentialError) -> Int {
    var status = stat()
    guard fstat(file, &status) == 0 else {
      throw CredentialError(name, .unreadable(path, reason()))
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw CredentialError(name, .unreadable(path, "it is not a regular file"))
    }
    guard status.st_size <= Self.byteCountMax else { throw CredentialError(name, .large(path)) }
    return Int(status.st_size)
  }

  private static func countWithoutLineBreak(
    _ bytes: Slice<UnsafeMutableRawBufferPointer>
  ) -> Int {
    let line = bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes
    return line.last == UInt8(ascii: "\r") && line.count < bytes.count
      ? line.count - 1 : line.count
  }
}

private func reason() -> String { String(cString: strerror(errno)) }

/// Reads until the buffer is full or the file ends. Returns the number of bytes; -1, with errno, on
/// failure.
private func fill(_ buffer: UnsafeMutableRawBufferPointer, from file: Int32) -> Int {
  var filled = 0
  while filled < buffer.count {
    let count = read(file, buffer.baseAddress?.advanced(by: filled), buffer.count - filled)
    if count < 0 && errno == EINTR { continue }
    guard count > 0 else { return count < 0 ? -1 : filled }
    filled += count
  }
  return filled
}
