import Glibc

/// The service's address and the caller's token.
struct ServiceEndpoint {
  let address: ServiceConnection.Address
  /// The caller's token; nil for a socket, where the operating system identifies the caller.
  let token: String?

  init(address: ServiceConnection.Address, token: String?) {
    self.address = address
    self.token = token
  }

  /// - Parameter socket: the path of the socket.
  init(socket: String) {
    self.init(address: .socket(socket), token: nil)
  }

  /// - Throws: an error if the URL is invalid or the token is missing, and for unencrypted HTTP to
  ///   another machine.
  init(url: String, token: String?) throws(CommandError) {
    let parts = url.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count > 2, ["https:", "http:"].contains(parts[0]), parts[1].isEmpty,
      !parts[2].isEmpty, !parts[2].contains("@"),
      !url.contains(where: { $0 == "?" || $0 == "#" || $0.isWhitespace })
    else {
      throw CommandError(
        .usage, "\"\(url)\" is not a valid address of a service",
        hint: "give --url as https://chimed.example.org, optionally with a path")
    }
    guard parts[0] == "https:" || Self.isLoopback(parts[2]) else {
      throw CommandError(
        .usage, "\(url) would send the token and personal data unencrypted",
        hint:
          "use https, or http to this machine only, for example by \"ssh -L 7411:localhost:7411\"")
    }
    guard let token, !token.isEmpty else {
      throw CommandError(
        .usage, "the service at \(url) requires a token",
        hint: "put one from \"chimectl token create\" into $CHIMED_TOKEN or a file for --token-file"
      )
    }
    address = .url(url)
    self.token = token
  }

  /// Returns whether a host is this machine by its form alone: a name such as `127.example.org` may
  /// be another machine's.
  private static func isLoopback(_ authority: Substring) -> Bool {
    if authority.first == "[" {
      return authority.dropFirst().prefix { $0 != "]" } == "::1"
    }
    let host = authority.prefix { $0 != ":" }
    var address = in_addr()
    guard host != "localhost" else { return true }
    return inet_pton(AF_INET, String(host), &address) == 1
      && UInt32(bigEndian: address.s_addr) >> 24 == 127
  }

  /// Reads a token from a file, without surrounding white space.
  static func token(file: String) throws(CommandError) -> String {
    guard let stream = fopen(file, "re") else {
      throw CommandError(.noInput, "\(file) cannot be read: \(String(cString: strerror(errno)))")
    }
    defer { fclose(stream) }
    var bytes = [UInt8](repeating: 0, count: 1 << 15)
    let text = String(decoding: bytes[..<fread(&bytes, 1, bytes.count, stream)], as: UTF8.self)
    return text.trimmed
  }
}

extension String {
  /// The text without surrounding white space.
  var trimmed: String {
    let start = drop { $0.isWhitespace }
    return String(start.reversed().drop { $0.isWhitespace }.reversed())
  }
}
