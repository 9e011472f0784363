import CivilTime
import Yams

extension CatalogReader {
  mutating func readCategory(_ name: String, _ node: Node) {
    let members = members(node, of: "the category \"\(name)\"", .category)
    if name == TestNotification.identifier {
      report(
        node, "the service itself uses the category name \"\(name)\"; rename the category")
    }
    var category = Category(name: name, title: name, urgency: .normal, channels: [])
    if let title = members["title"].flatMap({ text($0, "title") }) { category.title = title }
    category.description = members["description"].flatMap { text($0, "description") }
    if let urgency = members["urgency"] { category.urgency = self.urgency(urgency) }
    category.isLocked = members["locked"].flatMap { toggle($0, "locked") } ?? false
    if let quiet = members["quiet"] { category.quietAction = word(quiet) ?? .hold }
    if let overCap = members["overCap"] { category.capAction = word(overCap) ?? .hold }
    if let vacation = members["vacation"] { category.vacationAction = word(vacation) ?? .hold }
    var channels = keyedEntries(members["channels"], "channels").compactMap { readChannel($0) }
    readFallback(members["fallback"], &channels)
    category.confirmation = members["confirm"].flatMap { confirmation($0, channels) }
    if let node = members["reachable"], let span = span(node, "reachable") {
      category.reachable = span
      if !(TimeSpan.days(1)...TimeSpan.days(366)).contains(span) {
        report(node, "reachable must be from 1d to 366d; it is \(node.string ?? "")")
      }
    }
    category.withdraws = members["withdraw"].flatMap { toggle($0, "withdraw") } ?? false
    category.discreetChannels = discreetChannels(members["discreet"], channels.map(\.channel))
    if members["channels"]?.mapping?.isEmpty == true {
      report(node, "the category \"\(name)\" needs a channel")
    }
    let parts = Self.parts(of: category, channels, actions: members["actions"])
    guard registerDeclaration("the category \"\(name)\"", parts, at: node) else { return }
    for channel in channels { add(channel, to: &category) }
    catalog.add(category)
    addTitle(of: category)
  }

  /// A channel of a category as the file declares it.
  private struct DeclaredChannel {
    var channel: Channel
    var isOn: Bool
    var isOnlyFallback: Bool
    var isFallback: Bool
    var node: Node

    var word: String { isOnlyFallback ? "fallback" : "\(isOn)" }
  }

  private static func parts(
    of category: Category, _ channels: [DeclaredChannel], actions: Node?
  ) -> [Part] {
    var parts = [
      Part(name: "title", value: "\"\(category.title)\""),
      Part(name: "urgency", value: "\(category.urgency)"),
      Part(name: "locked", value: "\(category.isLocked)"),
      Part(name: "quiet", value: category.quietAction.rawValue),
      Part(name: "overCap", value: category.capAction.rawValue),
      Part(name: "vacation", value: category.vacationAction.rawValue),
    ]
    if let description = category.description {
      parts.append(Part(name: "description", value: "\"\(description)\""))
    }
    if let actions = actions.flatMap({ try? Yams.serialize(node: $0) }) {
      parts.append(Part(name: "actions", value: actions))
    }
    if let confirmation = category.confirmation {
      let text = "\(confirmation.within), \(confirmation.channel.name)"
      parts.append(Part(name: "confirm", value: text))
    }
    if category.reachable != Category.defaultReachable {
      parts.append(Part(name: "reachable", value: "\(category.reachable)"))
    }
    if category.withdraws { parts.append(Part(name: "withdraw", value: "true")) }
    if !category.discreetChannels.isEmpty {
      let names = category.discreetChannels.channels.map(\.name)
      parts.append(Part(name: "discreet", value: names.joined(separator: ", ")))
    }
    parts += channels.map { Part(name: $0.channel.name, value: $0.word) }
    // The order of fallbacks is a separate part, because two catalogs may differ in it alone.
    let fallbacks = channels.filter(\.isFallback).map(\.channel.name)
    if fallbacks.count > 1 || channels.contains(where: { $0.isFallback && !$0.isOnlyFallback }) {
      parts.append(
        Part(name: "order of fallbacks", value: fallbacks.joined(separator: ", ")))
    }
    return parts
  }

  mutating func urgency(_ node: Node) -> Urgency {
    let name = node.string ?? ""
    if let urgency = Urgency(name: name) { return urgency }
    let known = Urgency.allCases.map { "\($0)" }
    report(
      node,
      "\"\(name)\" is not an urgency" + hint(name, known)
        + " (known: \(known.joined(separator: ", ")))")
    return .normal
  }

  /// Returns the channel with a name. Reports an unknown name at `node`.
  mutating func channel(_ name: String, at node: Node) -> Channel? {
    if let channel = Channel(name: name) { return channel }
    let known = Channel.allCases.map(\.name)
    report(
      node,
      "\"\(name)\" is not a channel" + hint(name, known)
        + " (known: \(known.joined(separator: ", ")))")
    return nil
  }

  private mutating func readChannel(_ entry: YAMLEntry) -> DeclaredChannel? {
    guard let channel = channel(entry.name, at: entry.key) else { return nil }
    let node = entry.value
    let isOnlyFallback = node.string == "fallback"
    guard let isOn = isOnlyFallback ? true : toggle(node, "a channel") else { return nil }
    return DeclaredChannel(
      channel: channel, isOn: isOn, isOnlyFallback: isOnlyFallback, isFallback: isOnlyFallback,
      node: node)
  }

  /// Reads `fallback: [sms, email]`: the first of these channels that reaches the recipient
  /// replaces channels that do not. The listed channels come before all others of the category, in
  /// the order of the list.
  private mutating func readFallback(_ node: Node?, _ channels: inout [DeclaredChannel]) {
    guard let node else { return }
    guard let entries = node.sequence, !entries.isEmpty else {
      return report(node, "\"fallback\" must be a list of channels")
    }
    var replacements: [DeclaredChannel] = []
    for entry in entries {
      guard let channel = channel(entry.string ?? "", at: entry) else { continue }
      guard let index = channels.firstIndex(where: { $0.channel == channel }) else {
        report(entry, "\(channel.name) is not a channel of the category")
        continue
      }
      var declared = channels.remove(at: index)
      declared.isFallback = true
      replacements.append(declared)
    }
    channels = replacements + channels
  }

  /// Reads `confirm: {within: 10m, else: sms}`. The channel must be one of the category's, except
  /// `inapp`.
  private mutating func confirmation(
    _ node: Node, _ channels: [DeclaredChannel]
  ) -> Confirmation? {
    let parts = members(node, of: "confirm", .confirmation)
    guard let spanNode = parts["within"], let channelNode = parts["else"],
      let span = span(spanNode, "within"),
      let channel = channel(channelNode.string ?? "", at: channelNode)
    else { return nil }
    guard (TimeSpan.minutes(1)...TimeSpan.days(1)).contains(span) else {
      report(spanNode, "within must be from 1m to 1d")
      return nil
    }
    guard channel != .inapp, channels.contains(where: { $0.channel == channel }) else {
      report(
        channelNode,
        "\(channel.name) cannot follow; name another channel of the category than inapp")
      return nil
    }
    return Confirmation(within: span, channel: channel)
  }

  private mutating func add(_ declared: DeclaredChannel, to category: inout Category) {
    let path = "categories.\(category.name).\(declared.channel.name)"
    guard let index = add(path, .toggle, declared.isOn ? 1 : 0, at: declared.node) else { return }
    category.channels.append(
      CategoryChannel(
        channel: declared.channel, setting: index, isOnlyFallback: declared.isOnlyFallback,
        isFallback: declared.isFallback))
  }

  /// Reads a raw value of an enumeration. Reports any other word.
  mutating func word<Word: RawRepresentable & CaseIterable>(
    _ node: Node
  ) -> Word? where Word.RawValue == String {
    let name = node.string ?? ""
    if let word = Word(rawValue: name) { return word }
    let words = Word.allCases.map(\.rawValue)
    report(
      node,
      "\"\(name)\" is not valid here" + hint(name, words)
        + " (known: \(words.joined(separator: ", ")))")
    return nil
  }

  /// Adds a setting and returns its index. If the path exists already, reports it and returns nil.
  @discardableResult
  mutating func add(
    _ path: String, _ kind: SettingKind, _ initial: Int64, at node: Node
  ) -> Int? {
    guard let index = catalog.settings.add(path: path, kind: kind, initial: initial) else {
      report(node, "\(path) is declared twice, or its hash equals another setting's; rename it")
      return nil
    }
    return index
  }
}
