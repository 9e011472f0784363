/// Why a credential cannot be had, and what to do.
package struct CredentialError: Error, Equatable, CustomStringConvertible {
  enum Reason: Equatable {
    case noName
    case noneGiven
    case missing
    case empty(String)
    case large(String)
    case unreadable(String, String)
  }

  /// What it was asked for by.
  package let name: String
  private let reason: Reason

  init(_ name: String, _ reason: Reason) {
    self.name = name
    self.reason = reason
  }

  /// Whether this process has none at all, as it is no service's.
  package var isForWantOfAny: Bool { reason == .noneGiven }

  package var description: String {
    switch reason {
    case .noName:
      "\"\(name)\" is no credential's name; give that of a file alone, without / and :"
    case .noneGiven:
      "there is no credential \"\(name)\", as the service was given none "
        + "($CREDENTIALS_DIRECTORY is not set); \(remedy)"
    case .missing:
      "there is no credential \"\(name)\"; \(remedy)"
    case .empty(let path):
      "the credential \"\(name)\" (\(path)) is empty; write the secret into its source, and start "
        + "the service again"
    case .large(let path):
      "the credential \"\(name)\" (\(path)) has more than \(Credentials.byteCountMax) bytes; see "
        + "that it is the right file"
    case .unreadable(let path, let reason):
      "the credential \"\(name)\" (\(path)) cannot be read: \(reason); \(remedy)"
    }
  }

  private var remedy: String {
    "add LoadCredential=\(name):/etc/credstore/\(name) under [Service] by `systemctl edit chimed`, "
      + "and start the service again"
  }
}
