import CivilTime
import Yams

extension CatalogReader {
  /// A group: a switch and parameters that a person sets, under `reminders` in the preferences.
  mutating func readGroup(_ name: String, _ node: Node) {
    let parameters = entries(node, "the group \"\(name)\"")
    guard let enabled = parameters.first(where: { $0.0 == "enabled" })?.1 else {
      return report(node, "the group \"\(name)\" needs \"enabled\"")
    }
    _ = toggle(enabled, "enabled")
    for (parameter, value) in parameters {
      guard let (kind, initial) = setting(value) else { continue }
      add("reminders.\(name).\(parameter)", kind, initial, at: value)
    }
  }

  /// What a parameter may hold follows from what it holds at first.
  private mutating func setting(_ node: Node) -> (SettingKind, Int64)? {
    if node.sequence != nil { return days(node, "a list").map { (.days, $0) } }
    if let isOn = node.bool { return (.toggle, isOn ? 1 : 0) }
    if let time = node.string.flatMap({ LocalTime($0) }) {
      return (.time, Int64(time.minuteOfDay))
    }
    if let number = node.int, (0...100_000).contains(number) {
      return (.count(0...100_000), Int64(number))
    }
    report(node, "must be true or false, a time \"21:00\", a list of days or a whole number")
    return nil
  }

  mutating func readCategory(_ name: String, _ node: Node) {
    let parts = members(
      node, of: "the category \"\(name)\"",
      allowed: ["title", "urgency", "channels", "locked", "quiet", "overCap"],
      required: ["title", "channels"])
    guard !catalog.categories.contains(where: { $0.name == name }) else {
      return report(node, "the category \"\(name)\" is declared twice")
    }
    var category = Category(name: name, title: name, urgency: .normal, channels: [])
    if let title = parts["title"].flatMap({ text($0, "title") }) { category.title = title }
    if let urgency = parts["urgency"] { category.urgency = self.urgency(urgency) }
    category.isLocked = parts["locked"].flatMap { toggle($0, "locked") } ?? false
    if let quiet = parts["quiet"] { category.quietAction = word(quiet) ?? .hold }
    if let overCap = parts["overCap"] { category.capAction = word(overCap) ?? .hold }
    for (channel, value) in entries(parts["channels"], "channels") {
      readChannel(channel, value, of: &category)
    }
    if parts["channels"]?.mapping?.isEmpty == true {
      report(node, "the category \"\(name)\" needs a channel")
    }
    catalog.categories.append(category)
  }

  private mutating func urgency(_ node: Node) -> Urgency {
    let name = node.string ?? ""
    if let urgency = Urgency(name: name) { return urgency }
    report(
      node, "\"\(name)\" is not an urgency (known: low, normal, high, critical, mandatory)")
    return .normal
  }

  private mutating func readChannel(_ name: String, _ node: Node, of category: inout Category) {
    guard let channel = Channel(name: name) else {
      return report(
        node,
        "\"\(name)\" is not a channel" + hint(name, Channel.allCases.map(\.name))
          + " (known: push, email, sms, inapp)")
    }
    let isFallback = node.string == "fallback"
    guard let isOn = isFallback ? true : toggle(node, "a channel") else { return }
    let path = "categories.\(category.name).\(name)"
    guard let index = add(path, .toggle, isOn ? 1 : 0, at: node) else { return }
    category.channels.append(
      CategoryChannel(channel: channel, setting: index, isFallback: isFallback))
  }

  /// One of the words that an enumeration knows.
  private mutating func word<Word: RawRepresentable & CaseIterable>(
    _ node: Node
  ) -> Word? where Word.RawValue == String {
    let name = node.string ?? ""
    if let word = Word(rawValue: name) { return word }
    let words = Word.allCases.map(\.rawValue)
    report(
      node,
      "\"\(name)\" means nothing here" + hint(name, words)
        + " (known: \(words.joined(separator: ", ")))")
    return nil
  }

  @discardableResult
  private mutating func add(
    _ path: String, _ kind: SettingKind, _ initial: Int64, at node: Node
  ) -> Int? {
    guard let index = catalog.settings.add(path: path, kind: kind, initial: initial) else {
      report(node, "\(path) is declared twice, or its hash is taken by another; rename it")
      return nil
    }
    return index
  }
}
