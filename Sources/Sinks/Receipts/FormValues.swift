import Foundation

/// The parameters of a form or a query (`application/x-www-form-urlencoded`), in order.
struct FormValues {
  struct Pair {
    let name: String
    let value: String
  }

  private(set) var pairs: [Pair] = []

  /// Returns nil if a part is not percent-encoded UTF-8.
  init?(_ bytes: some Sequence<UInt8>) {
    for part in Array(bytes).split(separator: UInt8(ascii: "&")) {
      let end = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
      guard let name = Self.decoded(part[..<end]),
        let value = Self.decoded(part[end...].dropFirst())
      else { return nil }
      pairs.append(Pair(name: name, value: value))
    }
  }

  /// The value of the first parameter with a name.
  subscript(name: String) -> String? { pairs.first { $0.name == name }?.value }

  private static func decoded(_ part: ArraySlice<UInt8>) -> String? {
    let spaced = part.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
    return String(validating: spaced, as: UTF8.self)?.removingPercentEncoding
  }
}
