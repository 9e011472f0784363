import Yams

extension CatalogReader {
  /// The categories and groups of a file, which its presets can switch.
  struct Contents {
    var categories: [String]
    var groups: [String]
  }

  /// Reads `presets: {minimal: {categories: [INVOICES, PAYMENTS.push], reminders: none}}`: the
  /// state of every switch of the file, of the master switch and of the channels. Switches under
  /// `keep` are left as the recipient has set them.
  mutating func readPresets(_ node: Node?, of contents: Contents) {
    for (name, node) in entries(node, "presets") {
      guard Preset.names.contains(name) else {
        let known = Preset.names.joined(separator: ", ")
        report(
          node, "\"\(name)\" is not a preset" + hint(name, Preset.names) + " (known: \(known))")
        continue
      }
      readPreset(name, node, of: contents)
    }
  }

  private mutating func readPreset(_ name: String, _ node: Node, of contents: Contents) {
    let parts = members(node, of: "the preset \"\(name)\"", .preset)
    let (channelSwitches, groupSwitches) = (
      channelSwitches(of: contents), groupSwitches(of: contents)
    )
    let keptSettings = parts["keep"].map { readKeep($0, channelSwitches + groupSwitches) } ?? []
    let master = Choice(name: "master", setting: BuiltInSetting.master.rawValue)
    let channels = Channel.allCases.map { Choice(name: $0.name, setting: $0.setting.rawValue) }
    let all =
      switches(nil, "the master", [master], otherwise: .all)
      + switches(parts["channels"], "channels", channels, otherwise: .all)
      + switches(parts["categories"], "categories", channelSwitches, otherwise: .defaults)
      + switches(parts["reminders"], "reminders", groupSwitches, otherwise: .defaults)
    let switches = all.filter { !keptSettings.contains($0.setting) }
    merge(Preset(name: name, switches: switches), at: node)
  }

  /// A switch with its name in a preset's list.
  private struct Choice {
    var name: String
    var setting: Int
  }

  private enum Extent: String, CaseIterable {
    case all, none, defaults
  }

  /// Returns the switches of the categories' channels, named as `PAYMENTS.push`. In a list, the
  /// name of a category alone means all its channels.
  private func channelSwitches(of contents: Contents) -> [Choice] {
    let names = Set(contents.categories)
    let categories = catalog.categories.filter { names.contains($0.name) && !$0.isLocked }
    return categories.flatMap { category in
      category.channels.map {
        Choice(name: "\(category.name).\($0.channel.name)", setting: $0.setting)
      }
    }
  }

  private func groupSwitches(of contents: Contents) -> [Choice] {
    contents.groups.compactMap { group in
      catalog.settings.index(of: "reminders.\(group).enabled").map {
        Choice(name: group, setting: $0)
      }
    }
  }

  /// Reads `all`, `none`, `defaults`, or a list of the switches that are on.
  private mutating func switches(
    _ node: Node?, _ what: String, _ choices: [Choice], otherwise: Extent
  ) -> [Preset.Switch] {
    guard let node else { return switches(otherwise, choices) }
    if let sequence = node.sequence { return switches(Array(sequence), what, choices) }
    guard let extent = node.string.flatMap(Extent.init) else {
      let known = Extent.allCases.map(\.rawValue).joined(separator: ", ")
      report(node, "\(what) must be one of \(known), or a list of those that are on")
      return []
    }
    return switches(extent, choices)
  }

  private func switches(_ extent: Extent, _ choices: [Choice]) -> [Preset.Switch] {
    choices.map { choice in
      let isOn =
        switch extent {
        case .all: true
        case .none: false
        case .defaults: catalog.settings.initialValues[choice.setting] != 0
        }
      return Preset.Switch(setting: choice.setting, isOn: isOn)
    }
  }

  private mutating func switches(
    _ names: [Node], _ what: String, _ choices: [Choice]
  ) -> [Preset.Switch] {
    let on = namedSettings(names, what, choices)
    return choices.map { Preset.Switch(setting: $0.setting, isOn: on.contains($0.setting)) }
  }

  private mutating func readKeep(_ node: Node, _ choices: [Choice]) -> Set<Int> {
    if let sequence = node.sequence {
      return namedSettings(Array(sequence), "categories and reminders", choices)
    }
    report(node, "\"keep\" must be a list of categories and reminders")
    return []
  }

  /// Returns the settings that a list names. Reports unknown names.
  private mutating func namedSettings(
    _ names: [Node], _ what: String, _ choices: [Choice]
  ) -> Set<Int> {
    var known: [Substring: [Int]] = [:]
    for choice in choices {
      known[choice.name[...], default: []].append(choice.setting)
      let category = choice.name.prefix { $0 != "." }
      if category.endIndex < choice.name.endIndex {
        known[category, default: []].append(choice.setting)
      }
    }
    var settings: Set<Int> = []
    for node in names {
      let name = node.string ?? ""
      let named = known[name[...], default: []]
      if named.isEmpty {
        report(
          node,
          "\"\(name)\" is not among the \(what) that this file can switch"
            + hint(name, choices.map(\.name)))
      }
      settings.formUnion(named)
    }
    return settings
  }

  /// Adds a preset to the presets of other catalogs. Each catalog sets its own switches. A shared
  /// switch must have the same state in all catalogs.
  private mutating func merge(_ preset: Preset, at node: Node) {
    guard let index = catalog.presets.firstIndex(where: { $0.name == preset.name }) else {
      return catalog.presets.append(preset)
    }
    let others = Dictionary(catalog.presets[index].switches.map { ($0.setting, $0) }) { $1 }
    for entry in preset.switches {
      let known = others[entry.setting]
      if known == nil { catalog.presets[index].switches.append(entry) }
      guard let known, known.isOn != entry.isOn else { continue }
      let path = catalog.settings.definitions[entry.setting].path
      report(
        node,
        "the preset \"\(preset.name)\" turns \(path) \(entry.isOn ? "on" : "off") here, "
          + "and \(known.isOn ? "on" : "off") in another catalog")
    }
  }
}
