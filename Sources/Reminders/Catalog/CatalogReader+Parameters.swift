import CivilTime
import Yams

/// Reads values that a catalog fixes, or that a recipient sets as a parameter of a group. "$time"
/// is looked up in the reminder's groups, from the last to the first, and "$breakfast.time" in the
/// named group.
extension CatalogReader {
  /// Reads "21:00" or "$time".
  mutating func timeSource(_ node: Node, groups: [String]) -> TimeSource? {
    if let name = reference(node) {
      return parameter(node, name, groups, "a time of day") { $0 == .time }.map { .setting($0) }
    }
    guard let time = node.string.flatMap({ LocalTime($0) }) else {
      report(
        node,
        "must be a time of day such as \"21:00\", or $name for a group's parameter; "
          + ExpectedKind.nature(of: node) + hint(atMeaningOf: node))
      return nil
    }
    return .fixed(time)
  }

  /// Reads "21:00", ["08:00", "20:00"], "$time" or "$times".
  mutating func timesSource(_ node: Node, groups: [String]) -> TimesSource? {
    if node.sequence != nil { return times(node, "the times").map { .fixed($0) } }
    guard let name = reference(node) else {
      return timeSource(node, groups: groups).map { .one($0) }
    }
    let index = parameter(node, name, groups, "a time of day") { $0 == .time || $0 == .times }
    return index.map { kind(of: $0) == .times ? .setting($0) : .one(.setting($0)) }
  }

  /// Reads [mon, sat] or "$days".
  mutating func daysSource(_ node: Node, groups: [String]) -> DaysSource? {
    if let name = reference(node) {
      return parameter(node, name, groups, "a list of days") { $0 == .days }.map { .setting($0) }
    }
    return days(node, "the days").map { .fixed($0) }
  }

  /// Reads true, false or "$skipWeekends".
  mutating func toggleSource(_ node: Node, _ subject: String, groups: [String]) -> ToggleSource? {
    if let name = reference(node) {
      return parameter(node, name, groups, "true or false") { $0 == .toggle }
        .map { .setting($0) }
    }
    return toggle(node, subject).map { .fixed($0) }
  }

  /// Reads 3, [3, 1] or "$threshold".
  ///
  /// - Parameter exactlyOne: whether exactly one number is required.
  mutating func countsSource(
    _ node: Node, _ subject: String, groups: [String], exactlyOne: Bool
  ) -> CountsSource? {
    if let name = reference(node) {
      let expected = exactlyOne ? "a whole number" : "a whole number or a list of them"
      let index = parameter(node, name, groups, expected) { kind in
        switch kind {
        case .count: true
        case .counts: !exactlyOne
        default: false
        }
      }
      return index.map { if case .counts = kind(of: $0) { .counts($0) } else { .count($0) } }
    }
    let nodes = exactlyOne ? [node] : node.sequence.map(Array.init) ?? [node]
    let numbers = nodes.compactMap(\.wholeNumber).filter((0...3_650).contains)
    guard !nodes.isEmpty, numbers.count == nodes.count else {
      report(
        node,
        "\(subject) must be a whole number from 0 to 3650"
          + (exactlyOne ? "" : " or a list of them"))
      return nil
    }
    return .fixed(numbers.map(Int64.init))
  }

  private func kind(of setting: Int) -> SettingKind {
    catalog.settings.definitions[setting].kind
  }

  private func reference(_ node: Node) -> String? {
    guard let text = node.string, text.hasPrefix("$") else { return nil }
    return String(text.dropFirst())
  }

  /// Returns the index of the setting that "$name" refers to; nil if the node has another form. A
  /// setting that is unknown, or that `isKind` refuses, is reported and also gives nil.
  mutating func setting(
    _ node: Node, groups: [String], _ expected: String, _ isKind: (SettingKind) -> Bool
  ) -> Int? {
    reference(node).flatMap { parameter(node, $0, groups, expected, isKind) }
  }

  private mutating func parameter(
    _ node: Node, _ name: String, _ groups: [String], _ expected: String,
    _ isKind: (SettingKind) -> Bool
  ) -> Int? {
    guard let index = parameter(node, name, groups, written: "$" + name) else { return nil }
    guard isKind(kind(of: index)) else {
      report(node, "$\(name) is not \(expected)")
      return nil
    }
    return index
  }

  /// Returns the index of a parameter's setting. Reports a parameter that is not declared.
  ///
  /// - Parameters:
  ///   - name: the name of the parameter, or the form `group.parameter`.
  ///   - written: the parameter as the file contains it, for the report.
  mutating func parameter(
    _ node: Node, _ name: String, _ groups: [String], written: String
  ) -> Int? {
    let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
    let isQualified = parts.count == 2
    let searchedGroups = isQualified ? [parts[0]] : groups.reversed()
    for group in searchedGroups {
      let path = "reminders.\(group).\(isQualified ? parts[1] : name)"
      if let index = catalog.settings.index(of: path) { return index }
      if wrongParameters.contains(path) { return nil }
    }
    // An undeclared group of the reminder has been reported already.
    let declared = searchedGroups.filter {
      catalog.settings.index(of: "reminders.\($0).enabled") != nil
    }
    if let unknown = searchedGroups.first, isQualified, declared.isEmpty {
      reportUndeclared("group", unknown, node, groupNames)
    } else if !declared.isEmpty {
      let groupList = declared.map { "\"\($0)\"" }.joined(separator: " or ")
      let sign = written.hasPrefix("$") ? "$" : ""
      let names = declared.flatMap { parameterNames(of: $0, isQualified: isQualified) }
      report(
        node,
        "the group \(groupList) has no parameter \(written)"
          + hint(sign + name, names.map { sign + $0 }))
    }
    return nil
  }

  private func parameterNames(of group: String, isQualified: Bool) -> [String] {
    let prefix = "reminders.\(group)."
    let paths = catalog.settings.definitions.map(\.path).filter { $0.hasPrefix(prefix) }
    return paths.map { (isQualified ? group + "." : "") + $0.dropFirst(prefix.count) }
  }

  /// The names of the declared groups.
  var groupNames: [String] {
    catalog.settings.definitions.compactMap { definition in
      let parts = definition.path.split(separator: ".")
      guard parts.count == 3, parts[0] == "reminders", parts[2] == "enabled" else { return nil }
      return String(parts[1])
    }
  }
}
