import Yams

extension CatalogReader {
  /// The categories and groups of a file, whose switches the presets of this file can set.
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
    let members = members(node, of: "the preset \"\(name)\"", .preset)
    let (channelSwitches, groupSwitches) = (
      channelSwitches(of: contents), groupSwitches(of: contents)
    )
    let keptSettings = members["keep"].map { readKeep($0, channelSwitches + groupSwitches) } ?? []
    let master = NamedSwitch(name: "master", setting: BuiltInSetting.master.rawValue)
    let channels = Channel.allCases.map { NamedSwitch(name: $0.name, setting: $0.setting.rawValue) }
    let allSwitches =
      switches(nil, "the master", [master], otherwise: .all)
      + switches(members["channels"], "channels", channels, otherwise: .all)
      + switches(members["categories"], "categories", channelSwitches, otherwise: .defaults)
      + switches(members["reminders"], "reminders", groupSwitches, otherwise: .defaults)
    let switches = allSwitches.filter { !keptSettings.contains($0.setting) }
    merge(Preset(name: name, switches: switches), at: node)
  }

  /// A switch with its name in a preset's list.
  private struct NamedSwitch {
    var name: String
    /// The index of the switch's setting.
    var setting: Int
  }

  /// A word that gives the states of several switches.
  private enum SwitchStates: String, CaseIterable {
    case all, none, defaults
  }

  /// Returns the switches of the categories' channels, named as `PAYMENTS.push`. In a list, the
  /// name of a category alone means all its channels.
  private func channelSwitches(of contents: Contents) -> [NamedSwitch] {
    let names = Set(contents.categories)
    let categories = catalog.categories.filter { names.contains($0.name) && !$0.isLocked }
    return categories.flatMap { category in
      category.channels.map {
        NamedSwitch(name: "\(category.name).\($0.channel.name)", setting: $0.setting)
      }
    }
  }

  private func groupSwitches(of contents: Contents) -> [NamedSwitch] {
    contents.groups.compactMap { group in
      catalog.settings.index(of: "reminders.\(group).enabled").map {
        NamedSwitch(name: group, setting: $0)
      }
    }
  }

  /// Reads `all`, `none`, `defaults`, or a list of the switches that are on.
  private mutating func switches(
    _ node: Node?, _ subject: String, _ choices: [NamedSwitch], otherwise: SwitchStates
  ) -> [Preset.Switch] {
    guard let node else { return switches(otherwise, choices) }
    if let sequence = node.sequence { return switches(Array(sequence), subject, choices) }
    guard let states = node.string.flatMap(SwitchStates.init) else {
      let known = SwitchStates.allCases.map(\.rawValue).joined(separator: ", ")
      report(node, "\(subject) must be one of \(known), or a list of those that are on")
      return []
    }
    return switches(states, choices)
  }

  private func switches(_ states: SwitchStates, _ choices: [NamedSwitch]) -> [Preset.Switch] {
    choices.map { choice in
      let isOn =
        switch states {
        case .all: true
        case .none: false
        case .defaults: catalog.settings.initialValues[choice.setting] != 0
        }
      return Preset.Switch(
        setting: choice.setting, isOn: isOn, isDefault: states == .defaults)
    }
  }

  private mutating func switches(
    _ names: [Node], _ subject: String, _ choices: [NamedSwitch]
  ) -> [Preset.Switch] {
    let settingsOn = namedSettings(names, subject, choices)
    return choices.map {
      Preset.Switch(setting: $0.setting, isOn: settingsOn.contains($0.setting))
    }
  }

  private mutating func readKeep(_ node: Node, _ choices: [NamedSwitch]) -> Set<Int> {
    if let sequence = node.sequence {
      return namedSettings(Array(sequence), "categories and reminders", choices)
    }
    report(node, "\"keep\" must be a list of categories and reminders")
    return []
  }

  /// Returns the settings that a list names. Reports unknown names.
  private mutating func namedSettings(
    _ names: [Node], _ subject: String, _ choices: [NamedSwitch]
  ) -> Set<Int> {
    var settingsByName: [Substring: [Int]] = [:]
    for choice in choices {
      settingsByName[choice.name[...], default: []].append(choice.setting)
      let category = choice.name.prefix { $0 != "." }
      if category.endIndex < choice.name.endIndex {
        settingsByName[category, default: []].append(choice.setting)
      }
    }
    var settings: Set<Int> = []
    for node in names {
      let name = node.string ?? ""
      let named = settingsByName[name[...], default: []]
      if named.isEmpty {
        report(
          node,
          "\"\(name)\" is not among the \(subject) that this file can switch"
            + hint(name, choices.map(\.name)))
      }
      settings.formUnion(named)
    }
    return settings
  }

  /// Adds a preset. If an earlier catalog has a preset of this name, its switches are added to that
  /// preset. A switch that several catalogs set must have the same state in all.
  private mutating func merge(_ preset: Preset, at node: Node) {
    guard let index = catalog.presets.firstIndex(where: { $0.name == preset.name }) else {
      return catalog.presets.append(preset)
    }
    let existing = Dictionary(catalog.presets[index].switches.map { ($0.setting, $0) }) { $1 }
    for entry in preset.switches {
      let other = existing[entry.setting]
      if other == nil { catalog.presets[index].switches.append(entry) }
      guard let other, other.isOn != entry.isOn else { continue }
      let path = catalog.settings.definitions[entry.setting].path
      report(
        node,
        "the preset \"\(preset.name)\" turns \(path) \(entry.isOn ? "on" : "off") here, "
          + "and \(other.isOn ? "on" : "off") in another catalog")
    }
  }
}
