import API
import Access
import ArgumentParser
import Foundation

/// Whom the service serves, and where (rule H1).
struct AccessOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Listen for TCP as well: ADDRESS:PORT, or a port of the loopback; $CHIMED_LISTEN, or not at "
        + "all, if absent.", valueName: "address"))
  var listen: TCPAddress?

  @Option(
    help: ArgumentHelp(
      "A further name by which clients on this machine may call the service; may be repeated.",
      valueName: "name"))
  var host: [String] = []

  @Option(
    help: ArgumentHelp(
      "Public keys that JSON Web Tokens are verified with: PEM or a JSON Web Key Set. Read again "
        + "on reload. A token's sub is the recipient.", valueName: "file"))
  var jwtKeys: String?

  @Option(help: ArgumentHelp("What a JSON Web Token's iss must be.", valueName: "issuer"))
  var jwtIssuer: String?

  @Option(help: ArgumentHelp("What a JSON Web Token's aud must name.", valueName: "audience"))
  var jwtAudience: String?

  func validate() throws {
    guard jwtKeys != nil || (jwtIssuer == nil && jwtAudience == nil) else {
      throw ValidationError("--jwt-issuer and --jwt-audience need --jwt-keys.")
    }
  }

  /// Which JSON Web Tokens hold, read from the key file; nil without one.
  func webTokenRules(from files: SettingsFiles) throws -> WebTokenRules? {
    guard let jwtKeys else { return nil }
    return WebTokenRules(
      keys: try WebKey.keys(in: try files.text(at: jwtKeys), file: jwtKeys), issuer: jwtIssuer,
      audience: jwtAudience)
  }

  /// Where to listen for TCP.
  func address() throws -> TCPAddress? {
    if let listen { return listen }
    guard let text = ProcessInfo.processInfo.environment["CHIMED_LISTEN"], !text.isEmpty else {
      return nil
    }
    if let address = TCPAddress(text) { return address }
    throw ValidationError(
      "CHIMED_LISTEN is \"\(text)\"; it must be ADDRESS:PORT, such as 127.0.0.1:7411, or a port.")
  }
}

extension TCPAddress: ExpressibleByArgument {
  package init?(argument: String) {
    self.init(argument)
  }
}
