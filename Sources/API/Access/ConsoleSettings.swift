/// What the console shows of others, beside its own files.
package struct ConsoleSettings: Hashable, Sendable {
  /// Where the pictures of people and of what they added may be loaded from.
  package let images: [ImageHost]

  package init(images: [ImageHost] = []) {
    self.images = images
  }
}

/// A host that pictures are loaded from by HTTPS, such as `images.example.org` or
/// `images.example.org:8443`.
package struct ImageHost: Hashable, Sendable, CustomStringConvertible {
  /// As the address of a picture names it in a browser.
  package let description: String

  /// Nil for what names no host: it stands in the policy that browsers keep to, where a space or a
  /// semicolon would mean something.
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

  /// What a policy for contents calls it.
  var source: String { "https://" + description }
}
