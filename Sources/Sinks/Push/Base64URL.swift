import Foundation

/// Bytes as keys and tokens have them (RFC 4648, section 5, without padding).
enum Base64URL {
  /// Nil for what is none; padding, and the letters of plain base64, are taken too.
  static func data(_ text: String) -> Data? {
    let plain = text.replacing("-", with: "+").replacing("_", with: "/")
    return Data(base64Encoded: plain + String(repeating: "=", count: (4 - plain.count % 4) % 4))
  }

  static func text(_ data: Data) -> String {
    String(
      data.base64EncodedString().compactMap { letter in
        switch letter {
        case "+": "-"
        case "/": "_"
        case "=": nil
        default: letter
        }
      })
  }
}
