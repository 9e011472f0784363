import ChimedClient
import Glibc

/// Where the service is, and what is brought along to be let in.
struct ServicePlace {
  let address: ChimedClient.Address
  /// Nil at a socket, where the system vouches for who asks.
  let token: String?

  /// - Parameter socket: its path.
  init(socket: String) {
    address = .socket(socket)
    token = nil
  }

  /// - Throws: for what is no such address, and where the token could be read on its way.
  init(url: String, token: String?) throws(Failure) {
    let parts = url.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count > 2, ["https:", "http:"].contains(parts[0]), parts[1].isEmpty,
      !parts[2].isEmpty, !url.contains(where: { $0 == "?" || $0 == "#" || $0.isWhitespace })
    else {
      throw Failure(
        .usage, "\"\(url)\" is not where a service could be",
        hint: "give --url as https://chimed.example.org, perhaps with a path")
    }
    guard parts[0] == "https:" || Self.isLoopback(parts[2]) else {
      throw Failure(
        .usage, "by \(url) the token and all about people could be read on the way",
        hint: "use https, or http to this machine alone, as by \"ssh -L 7411:localhost:7411\"")
    }
    guard let token, !token.isEmpty else {
      throw Failure(
        .usage, "the service at \(url) wants a token",
        hint: "put one of \"chimectl token create\" into $CHIMED_TOKEN, or a file for --token-file")
    }
    address = .url(url)
    self.token = token
  }

  private static func isLoopback(_ authority: Substring) -> Bool {
    let host =
      authority.first == "["
      ? authority.prefix { $0 != "]" }.dropFirst() : authority.prefix { $0 != ":" }
    return host == "localhost" || host == "::1" || host.hasPrefix("127.")
  }

  /// A token out of a file, which may end with a line break.
  static func token(file: String) throws(Failure) -> String {
    guard let stream = fopen(file, "re") else {
      throw Failure(.noInput, "\(file) cannot be read: \(String(cString: strerror(errno)))")
    }
    defer { fclose(stream) }
    var bytes = [UInt8](repeating: 0, count: 1 << 15)
    let text = String(decoding: bytes[..<fread(&bytes, 1, bytes.count, stream)], as: UTF8.self)
    return text.trimmed
  }
}

extension String {
  /// Without what is blank at its ends.
  var trimmed: String {
    let start = drop { $0.isWhitespace }
    return String(start.reversed().drop { $0.isWhitespace }.reversed())
  }
}
