import Glibc

/// The reason why a secret cannot be read, and what to do.
package struct CredentialError: Error, Equatable, CustomStringConvertible {
  /// The reason; the first text of a case is the path of the file.
  enum Reason: Equatable {
    /// The name of the secret is not a valid name of a credential.
    case noName
    /// The process has no directory of credentials.
    case noCredentials
    /// The file does not exist.
    case missing
    case empty(String)
    /// The file exceeds the size limit of secrets.
    case large(String)
    /// The second text is the system's message, or another clause.
    case unreadable(String, String)
  }

  /// The name of the requested secret.
  package let name: String
  private let reason: Reason

  init(_ name: String, _ reason: Reason) {
    self.name = name
    self.reason = reason
  }

  /// Whether this process has no credentials at all, because it was not started as a service.
  package var isWithoutCredentials: Bool { reason == .noCredentials }

  package var description: String {
    switch reason {
    case .noName:
      "\"\(name)\" is not a valid credential name; give a file name without / and :"
    case .noCredentials:
      "the credential \"\(name)\" is missing: the service has no credentials "
        + "($CREDENTIALS_DIRECTORY is not set); \(remedy)"
    case .missing: "the \(subject) is missing; \(remedy)"
    case .empty(let path): "the \(subject)\(location(path)) is empty; write the secret to \(source)"
    case .large(let path):
      "the \(subject)\(location(path)) is larger than \(Credentials.byteCountMax) bytes; check "
        + "that it is the right file"
    case .unreadable(let path, let reason):
      "the \(subject)\(location(path)) cannot be read: \(reason); \(remedy)"
    }
  }

  /// The path of a secret file; nil for a credential.
  private var file: String? { Credentials.path(ofFile: name) }

  /// The secret, as the beginning of a message calls it.
  private var subject: String {
    file.map { "secret file \($0)" } ?? "credential \"\(name)\""
  }

  private func location(_ path: String) -> String { file != nil ? "" : " (\(path))" }

  /// The file to write the secret to, and how the service then reads it.
  private var source: String {
    file != nil ? "it, then: chimectl reload" : "its source file and restart the service"
  }

  private var remedy: String {
    if file != nil { return "make it readable by the service's user, then: chimectl reload" }
    return "add LoadCredential=\(name):/etc/credstore/\(name) to [Service] with "
      + "`systemctl edit chimed`, and restart the service"
  }
}
