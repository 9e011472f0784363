/// The names of the tz database that stand for other names, such as Asia/Calcutta for
/// Asia/Kolkata. Some systems ship their files in a package of its own, tzdata-legacy.
struct ZoneLinks {
  /// The name that each name stands for, which may be a link too.
  private var targets: [Substring: Substring] = [:]
  /// Links of links are no longer than this.
  private static let chainMax = 4

  /// - Parameter rules: the bytes of `tzdata.zi`, whose links precede the known ones.
  init(rules: [UInt8]) {
    for pair in Self.known.split(separator: " ") {
      let names = pair.split(separator: "=")
      targets[names[0]] = names[1]
    }
    // Such as "L Asia/Kolkata Asia/Calcutta".
    for line in rules.split(separator: UInt8(ascii: "\n")) where line.first == UInt8(ascii: "L") {
      let words = String(decoding: line, as: UTF8.self).split(separator: " ")
      if words.count == 3, words[0] == "L" { targets[words[2]] = words[1] }
    }
  }

  /// Adds the content of each link that has none and whose target has one.
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
