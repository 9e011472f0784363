/// Alternative names of the tz database, such as Asia/Calcutta for Asia/Kolkata. In some systems,
/// the files of these names are in a separate package, tzdata-legacy.
struct ZoneLinks {
  /// The target of each name, which may be a link too.
  private var targets: [Substring: Substring] = [:]
  /// The maximum number of links from a name to a zone.
  private static let chainMax = 4

  /// - Parameter rules: the bytes of `tzdata.zi`, whose links override the built-in ones.
  init(rules: [UInt8]) {
    for pair in Self.known.split(separator: " ") {
      let names = pair.split(separator: "=")
      targets[names[0]] = names[1]
    }
    // A link is a line such as "L Asia/Kolkata Asia/Calcutta".
    for line in rules.split(separator: UInt8(ascii: "\n")) where line.first == UInt8(ascii: "L") {
      let words = String(decoding: line, as: UTF8.self).split(separator: " ")
      if words.count == 3, words[0] == "L" { targets[words[2]] = words[1] }
    }
  }

  /// Gives each link that has no content the content of its target.
  func resolve(in contents: inout [String: [UInt8]]) {
    for name in targets.keys where contents[String(name)] == nil {
      if let content = content(of: name, in: contents) { contents[String(name)] = content }
    }
  }

  private func content(of name: Substring, in contents: [String: [UInt8]]) -> [UInt8]? {
    var name = name
    for _ in 0..<Self.chainMax {
      guard let target = targets[name] else { return nil }
      if let content = contents[String(target)] { return content }
      name = target
    }
    return nil
  }
}
