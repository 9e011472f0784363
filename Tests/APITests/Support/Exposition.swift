/// Parses Prometheus's text exposition format more strictly than Prometheus does, to find mistakes
/// where `promtool` is not installed.
struct Exposition {
  struct Mistake: Error, CustomStringConvertible {
    var line: Int
    var description: String
  }

  struct Family {
    var name: String
    var help: String
    var type: String
    var samples: [Sample] = []
  }

  struct Sample {
    var name: String
    var labels: [String: String]
    var value: Double

    func series(without label: String) -> String {
      labels.filter { $0.key != label }.map { "\($0)=\($1)" }.sorted().joined(separator: ",")
    }
  }

  private(set) var families: [Family] = []

  init(_ text: String) throws {
    guard text.hasSuffix("\n") else { throw Mistake(line: 0, description: "no end of line") }
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
      .dropLast().enumerated()
    {
      do {
        try read(line)
      } catch let mistake as Reason {
        throw Mistake(line: number + 1, description: "\(mistake.text): \(line)")
      }
    }
    for family in families {
      do {
        try Self.check(family)
      } catch let mistake as Reason {
        throw Mistake(line: 0, description: "\(family.name): \(mistake.text)")
      }
    }
  }

  /// The value of the single series with these labels.
  subscript(name: String, labels: [String: String]) -> Double? {
    families.flatMap(\.samples).first { $0.name == name && $0.labels == labels }?.value
  }

  private struct Reason: Error {
    var text: String
  }

  // MARK: - Lines

  private mutating func read(_ line: Substring) throws {
    let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
    guard words[0] == "#" else { return try add(sample: line) }
    guard words.count == 4 else { throw Reason(text: "half a comment") }
    switch words[1] {
    case "HELP":
      guard !families.contains(where: { $0.name == words[2] }) else {
        throw Reason(text: "a family twice")
      }
      guard Self.isName(words[2]) else { throw Reason(text: "an invalid name") }
      families.append(Family(name: String(words[2]), help: String(words[3]), type: ""))
    case "TYPE":
      guard let last = families.last, last.name == words[2], last.type == "" else {
        throw Reason(text: "a type that does not follow its help")
      }
      guard ["counter", "gauge", "histogram"].contains(words[3]) else {
        throw Reason(text: "an unknown type")
      }
      families[families.count - 1].type = String(words[3])
    default: throw Reason(text: "neither HELP nor TYPE")
    }
  }

  private mutating func add(sample line: Substring) throws {
    guard var family = families.popLast(), !family.type.isEmpty else {
      throw Reason(text: "a sample without a family")
    }
    var rest = line
    let name = String(rest.prefix { $0 != "{" && $0 != " " })
    rest = rest.dropFirst(name.count)
    let labels = try Self.labels(&rest)
    guard rest.first == " ", let value = Double(rest.dropFirst()), value.isFinite else {
      throw Reason(text: "an invalid value")
    }
    let suffixes = family.type == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
    guard suffixes.contains(where: { name == family.name + $0 }) else {
      throw Reason(text: "not of the family \(family.name)")
    }
    let isKnown = family.samples.contains { $0.name == name && $0.labels == labels }
    guard !isKnown else { throw Reason(text: "a series twice") }
    family.samples.append(Sample(name: name, labels: labels, value: value))
    families.append(family)
  }

  private static func labels(_ rest: inout Substring) throws -> [String: String] {
    guard rest.first == "{" else { return [:] }
    var labels: [String: String] = [:]
    repeat {
      rest.removeFirst()
      let name = rest.prefix { $0 != "=" }
      guard isName(name), !name.contains(":"), !name.hasPrefix("__") else {
        throw Reason(text: "an invalid label name")
      }
      rest = rest.dropFirst(name.count + 1)
      guard labels.updateValue(try value(&rest), forKey: String(name)) == nil else {
        throw Reason(text: "a label twice")
      }
    } while rest.first == ","
    guard rest.popFirst() == "}" else { throw Reason(text: "labels without an end") }
    return labels
  }

  /// Reads a quoted text with escapes.
  private static func value(_ rest: inout Substring) throws -> String {
    guard rest.popFirst() == "\"" else { throw Reason(text: "a label without a value") }
    var value = ""
    while let character = rest.popFirst() {
      if character == "\"" { return value }
      guard character == "\\" else {
        value.append(character)
        continue
      }
      switch rest.popFirst() {
      case "\\": value.append("\\")
      case "\"": value.append("\"")
      case "n": value.append("\n")
      default: throw Reason(text: "an unknown escape")
      }
    }
    throw Reason(text: "a value without an end")
  }

  private static func isName(_ text: Substring) -> Bool {
    guard let first = text.utf8.first, !(0x30...0x39).contains(first) else { return false }
    return text.utf8.allSatisfy { byte in
      (0x61...0x7a).contains(byte) || (0x41...0x5a).contains(byte) || (0x30...0x39).contains(byte)
        || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ":")
    }
  }

  // MARK: - Families

  private static func check(_ family: Family) throws {
    guard !family.help.isEmpty else { throw Reason(text: "no help") }
    let isCounter = family.type == "counter"
    guard family.name.hasSuffix("_total") == isCounter else {
      throw Reason(text: "counters end in _total, and nothing else does")
    }
    if isCounter, family.samples.contains(where: { $0.value < 0 }) {
      throw Reason(text: "a counter below zero")
    }
    if family.type == "histogram" { try checkHistogram(family) }
  }

  private static func checkHistogram(_ family: Family) throws {
    let buckets = family.samples.filter { $0.name.hasSuffix("_bucket") }
    for (series, buckets) in Dictionary(grouping: buckets, by: { $0.series(without: "le") }) {
      let bounds = buckets.map { $0.labels["le"].flatMap(Double.init) ?? -.infinity }
      guard bounds == bounds.sorted(), Set(bounds).count == bounds.count, bounds.last == .infinity
      else { throw Reason(text: "bounds that do not ascend to +Inf") }
      let counts = buckets.map(\.value)
      guard counts == counts.sorted() else { throw Reason(text: "buckets that are not cumulative") }
      let samples = family.samples.filter { $0.series(without: "le") == series }
      guard
        samples.contains(where: { $0.name == family.name + "_count" && $0.value == counts.last }),
        samples.contains(where: { $0.name == family.name + "_sum" })
      else { throw Reason(text: "no sum, or a count that is not the last bucket's") }
    }
  }
}
