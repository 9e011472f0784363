/// The console's settings for content from other hosts.
package struct ConsoleSettings: Hashable, Sendable {
  /// The hosts that pictures of recipients and of their entities may come from.
  package let images: [ImageHost]

  package init(images: [ImageHost] = []) {
    self.images = images
  }
}

/// A host that serves pictures over HTTPS, such as `images.example.org` or
/// `images.example.org:8443`.
package struct ImageHost: Hashable, Sendable, CustomStringConvertible {
  /// The host, and the port if it is not 443, as a browser writes them in a picture's URL.
  package let description: String

  /// Parses a text; nil if it is not a host. The text becomes part of the content security policy,
  /// so spaces and semicolons must not pass.
  package init?(_ text: String) {
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
        UInt8(ascii: ":"):
        true
      default: false
      }
    }
    guard isPlain, let authority = Authority(text), !authority.host.isEmpty else { return nil }
    let port = authority.port.flatMap { $0 == 443 ? nil : $0 }
    description = authority.host + (port.map { ":\($0)" } ?? "")
  }

  /// The host as a source expression of the content security policy.
  var source: String { "https://" + description }
}
