import CivilTime
import Yams

/// Reads the operator's policies (rule V18).
extension CatalogReader {
  /// A category that a policy names. Any of the catalogs may declare the category, so the name is
  /// checked when all catalogs have been read.
  struct NamedCategory {
    let name: String
    let node: Node
    let file: String
  }

  /// Reads the policies of the configuration. The configuration's reader reports its other
  /// mistakes.
  mutating func readPolicies(of source: PolicySource) {
    guard let root = try? Yams.compose(yaml: source.fileText) else { return }
    let previousCount = diagnostics.count
    file = source.file
    readPolicies(root.mapping?["policies"])
    sortDiagnostics(from: previousCount)
  }

  mutating func readPolicies(_ node: Node?) {
    guard let node else { return }
    let members = members(node, of: "the policies", .policies)
    if let caps = members["caps"] { readCaps(caps) }
    if let defaults = members["defaults"] { readPolicyDefaults(defaults) }
    guard let list = members["hours"] else { return }
    guard let entries = list.sequence else { return report(list, "\"hours\"", mustBe: .list) }
    for entry in entries {
      if let hours = hours(entry) { catalog.policies.hours.append(hours) }
    }
  }

  private static let noLimits = "a cap needs \"perDay\", \"perWeek\" or \"minInterval\""

  /// Reads one cap, or a list of caps.
  private mutating func readCaps(_ node: Node) {
    guard let sequence = node.sequence else { return readCap(node) }
    for entry in sequence {
      if entry.mapping?.isEmpty == true { report(entry, Self.noLimits) }
      readCap(entry)
    }
  }

  /// Reads a cap. Without categories, `perDay` and `minInterval` limit the preferences (rule V18).
  private mutating func readCap(_ node: Node) {
    let members = members(node, of: "the caps of the policies", .policyCap)
    let categories = members["categories"].map { namedCategories($0) } ?? []
    var cap = PolicyCap(categories: Set(categories))
    cap.perDay = members["perDay"].flatMap { limit($0, "perDay") }
    cap.perWeek = members["perWeek"].flatMap { limit($0, "perWeek") }
    cap.minimumInterval = members["minInterval"].flatMap { interval($0) }
    if members["categories"] != nil, members.count == 1 {
      report(node, Self.noLimits)
    }
    if members["categories"] == nil { limitPreferences(by: &cap) }
    guard cap.perDay != nil || cap.perWeek != nil || cap.minimumInterval != nil else { return }
    catalog.policies.caps.append(cap)
  }

  /// Limits the preferences by the `perDay` and `minInterval` of a cap for all categories, and
  /// removes these two from the cap.
  private mutating func limitPreferences(by cap: inout PolicyCap) {
    if let number = cap.perDay {
      catalog.policies.limit(capPerDay: Int64(number))
      fileLimits[file, default: Policies()].limit(capPerDay: Int64(number))
    }
    if let interval = cap.minimumInterval {
      catalog.policies.limit(minimumInterval: interval.milliseconds)
      fileLimits[file, default: Policies()].limit(minimumInterval: interval.milliseconds)
    }
    (cap.perDay, cap.minimumInterval) = (nil, nil)
  }

  private mutating func limit(_ node: Node, _ key: String) -> Int? {
    guard let number = number(node, key) else { return nil }
    if (1...1_000).contains(number) { return Int(number) }
    report(node, "\(key) must be from 1 to 1000; it is \(number)")
    return nil
  }

  private mutating func interval(_ node: Node) -> TimeSpan? {
    guard let interval = span(node, "minInterval") else { return nil }
    if (TimeSpan.minutes(1)...TimeSpan.days(1)).contains(interval) { return interval }
    report(node, "minInterval must be from 1m to 1d; it is \(node.string ?? "")")
    return nil
  }

  private mutating func hours(_ node: Node) -> AllowedHours? {
    let members = members(node, of: "the hours of a policy", .allowedHours)
    let days = members["days"].map { self.days($0, "days") ?? 0 } ?? 0b111_1111
    guard let fromNode = members["from"], let toNode = members["to"],
      let channelsNode = members["channels"], let from = time(fromNode, "from"),
      let end = endMinute(toNode), let channels = policyChannels(channelsNode), days != 0
    else { return nil }
    guard var hours = AllowedHours(from: from, toMinute: end, days: days, on: channels) else {
      report(
        toNode,
        from.minuteOfDay < end
          ? "from 00:00 to 24:00 on all days allows everything; remove these hours"
          : "the hours must end after they begin at \(from); they are in the recipient's day")
      return nil
    }
    hours.passesCritical = members["critical"].flatMap { criticalAction($0) } ?? false
    hours.categories = members["categories"].map { Set(namedCategories($0)) }
    hours.phones = members["phones"].map { phonePrefixes($0) } ?? []
    hours.regions = members["regions"].map { regions($0) } ?? []
    return hours
  }

  private mutating func endMinute(_ node: Node) -> Int? {
    node.string == "24:00" ? 1_440 : time(node, "to")?.minuteOfDay
  }

  private mutating func time(_ node: Node, _ key: String) -> LocalTime? {
    if let time = node.string.flatMap({ LocalTime($0) }) { return time }
    report(
      node,
      "\"\(key)\" must be a time of day such as \"21:00\"; " + ExpectedKind.nature(of: node)
        + hint(atMeaningOf: node))
    return nil
  }

  private mutating func criticalAction(_ node: Node) -> Bool? {
    switch node.string {
    case "hold": return false
    case "pass": return true
    default:
      report(node, "\"critical\" must be hold or pass; it is \"\(node.string ?? "")\"")
      return nil
    }
  }

  private mutating func policyChannels(_ node: Node) -> ChannelSet? {
    var channels: ChannelSet = []
    for entry in entries(of: node, "channels") {
      guard let channel = channel(entry.string ?? "", at: entry) else { continue }
      if channel == .inapp {
        report(entry, "inapp does not interrupt, so it has no hours; remove it")
      } else {
        channels.insert(ChannelSet(channel))
      }
    }
    return channels.isEmpty ? nil : channels
  }

  private mutating func namedCategories(_ node: Node) -> [String] {
    entries(of: node, "categories").map { entry in
      let name = entry.string ?? ""
      policyCategories.append(NamedCategory(name: name, node: entry, file: file))
      return name
    }
  }

  private mutating func phonePrefixes(_ node: Node) -> [String] {
    entries(of: node, "phones").compactMap { entry in
      let text = entry.string ?? ""
      let digits = text.dropFirst()
      guard text.first == "+", (1...15).contains(digits.count), digits.first != "0",
        digits.utf8.allSatisfy({ (0x30...0x39).contains($0) })
      else {
        report(
          entry,
          "a beginning of telephone numbers is + and 1 to 15 digits, such as \"+1\"; it is "
            + "\"\(text)\"")
        return nil
      }
      return String(digits)
    }
  }

  private mutating func entries(of node: Node, _ key: String) -> [Node] {
    guard let entries = node.sequence, !entries.isEmpty else {
      report(node, "\"\(key)\" must be a list of at least one entry")
      return []
    }
    return Array(entries)
  }

  private mutating func regions(_ node: Node) -> [String] {
    entries(of: node, "regions").compactMap { entry in
      let text = entry.string ?? ""
      if let region = Self.region(text) { return region }
      report(
        entry, "a region is a country such as US, or a part such as US-CA; it is \"\(text)\"")
      return nil
    }
  }

  /// Returns a region in capitals: two letters, perhaps with a part of 1 to 3 letters or digits;
  /// nil for any other text.
  private static func region(_ text: String) -> String? {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count <= 2, parts[0].count == 2, parts[0].allSatisfy({ $0.isASCII && $0.isLetter })
    else { return nil }
    if parts.count == 2 {
      guard (1...3).contains(parts[1].count),
        parts[1].allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) })
      else { return nil }
    }
    return text.uppercased()
  }

  /// Reports the categories that no catalog declares, and sets the limits and the defaults of
  /// preferences.
  ///
  /// - Parameter configuration: the configuration file, if it has policies.
  mutating func finishPolicies(configuration: String?) {
    let known = catalog.categories.map(\.name)
    for category in policyCategories where !known.contains(category.name) {
      file = category.file
      report(
        category.node,
        "the category \"\(category.name)\" is not declared" + hint(category.name, known))
    }
    catalog.settings.limit(by: catalog.policies)
    finishPolicyDefaults(configuration: configuration)
  }
}
