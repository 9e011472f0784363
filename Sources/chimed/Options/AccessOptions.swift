import API
import Access
import ArgumentParser
import Foundation

/// The options for listeners, host names and JSON Web Tokens (rule H1).
struct AccessOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Also listen on TCP: ADDRESS:PORT, or a loopback port. Default: $CHIMED_LISTEN, else no "
        + "TCP.", valueName: "address"))
  var listen: TCPAddress?

  @Option(
    help: ArgumentHelp(
      "An additional allowed Host header of local clients; may be repeated.",
      valueName: "name"))
  var host: [String] = []

  @Option(
    help: ArgumentHelp(
      "A file of public keys for JSON Web Tokens: PEM or a JSON Web Key Set. Read again "
        + "on reload. A token's sub is the recipient.", valueName: "file"))
  var jwtKeys: String?

  @Option(help: ArgumentHelp("The required iss of JSON Web Tokens.", valueName: "issuer"))
  var jwtIssuer: String?

  @Option(help: ArgumentHelp("The required aud of JSON Web Tokens.", valueName: "audience"))
  var jwtAudience: String?

  func validate() throws {
    guard jwtKeys != nil || (jwtIssuer == nil && jwtAudience == nil) else {
      throw ValidationError("--jwt-issuer and --jwt-audience need --jwt-keys.")
    }
  }

  /// Reads the rules for JSON Web Tokens from the key file; nil if no file is given.
  func webTokenRules(from files: SettingsFiles) throws -> WebTokenRules? {
    guard let jwtKeys else { return nil }
    return WebTokenRules(
      keys: try WebKey.keys(in: try files.text(at: jwtKeys), file: jwtKeys), issuer: jwtIssuer,
      audience: jwtAudience)
  }

  /// Returns the TCP address to listen on; nil if there is none.
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
