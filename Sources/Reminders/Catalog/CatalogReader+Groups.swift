import CivilTime
import Yams

extension CatalogReader {
  /// Reads a group: a switch and parameters that recipients set under `reminders` in the
  /// preferences.
  mutating func readGroup(_ name: String, _ node: Node) {
    let parameters = entries(node, "the group \"\(name)\"")
    guard let enabled = parameters.first(where: { $0.0 == "enabled" })?.1 else {
      return report(node, "the group \"\(name)\" needs \"enabled\"")
    }
    let isEnabled = toggle(enabled, "enabled") ?? true
    var settings: [(name: String, kind: SettingKind, initial: Int64, node: Node)] = []
    for (parameter, value) in parameters {
      if parameter == EntityGroup.member {
        report(value, "a parameter cannot be named \"items\", which has the settings of entities")
      }
      let setting: (SettingKind, Int64)? =
        parameter == "enabled" ? (.toggle, isEnabled ? 1 : 0) : setting(value)
      if let (kind, initial) = setting {
        settings.append((parameter, kind, initial, value))
      } else {
        wrongParameters.insert("reminders.\(name).\(parameter)")
      }
    }
    let parts = settings.map { Part(name: $0.name, value: $0.kind.summary(initial: $0.initial)) }
    guard registerDeclaration("the group \"\(name)\"", parts, at: node) else { return }
    for setting in settings {
      add("reminders.\(name).\(setting.name)", setting.kind, setting.initial, at: setting.node)
    }
  }

  /// Reads a parameter, whose kind follows from its initial value.
  private mutating func setting(_ node: Node) -> (SettingKind, Int64)? {
    if node.mapping != nil { return declaredSetting(node) }
    if let sequence = node.sequence { return list(sequence, node) }
    if let isOn = node.bool { return (.toggle, isOn ? 1 : 0) }
    if let time = node.string.flatMap({ LocalTime($0) }) {
      return (.time, Int64(time.minuteOfDay))
    }
    if let number = node.wholeNumber, Self.numberRange.contains(Int64(number)) {
      return (.count(Self.numberRange), Int64(number))
    }
    if let span = node.string.flatMap({ TimeSpan($0) })?.milliseconds,
      (0...Self.longestDuration).contains(span)
    {
      return (.span(0...Self.longestDuration), span)
    }
    report(
      node,
      "must be true or false, a time \"21:00\", a list of days, a whole number or a duration 2h; "
        + ExpectedKind.nature(of: node) + hint(atMeaningOf: node))
    return nil
  }

  /// The range of a number that is declared without one. A declared range must lie within it.
  private static let numberRange: ClosedRange<Int64> = 0...100_000

  /// Reads `[mon, sat]`, `["08:00", "20:00"]` or `[24, 2]`.
  private mutating func list(
    _ sequence: Node.Sequence, _ node: Node
  ) -> (SettingKind, Int64)? {
    guard let first = sequence.first else {
      report(node, "the kind of an empty list is unknown; write {days: []} or {times: []}")
      return nil
    }
    if first.string?.contains(":") == true || first.string.flatMap(MeantValue.time) != nil {
      return times(node, "the times").map { (.times, $0) }
    }
    if first.wholeNumber != nil { return numbers(node).map { (.counts(0...1_439), $0) } }
    return days(node, "a list").map { (.days, $0) }
  }

  // MARK: - Declared kinds

  /// Reads `{choice: [once, repeat], initial: repeat}`, `{selection: [sleep, food]}`, `{number: [1,
  /// 30], initial: 3}`, `{duration: [5m, 3d], initial: 1h}`, `{days: []}` or `{times: []}`.
  private mutating func declaredSetting(_ node: Node) -> (SettingKind, Int64)? {
    let members = members(node, of: "a parameter", .parameter)
    let kinds = members.filter { $0.key != "initial" }
    guard let (kind, body) = kinds.first, kinds.count == 1 else {
      report(
        node,
        "a parameter needs one of \"choice\", \"selection\", \"number\", \"duration\", \"days\" "
          + "and \"times\"")
      return nil
    }
    if let initial = members["initial"], kind == "days" || kind == "times" {
      report(initial, "\"initial\" cannot be used with \"\(kind)\"")
    }
    switch kind {
    case "choice": return choice(body, members["initial"])
    case "selection": return selection(body, members["initial"])
    case "number": return number(body, members["initial"], node)
    case "duration": return duration(body, members["initial"], node)
    case "days":
      return body.sequence?.isEmpty == true ? (.days, 0) : days(body, kind).map { (.days, $0) }
    default:
      return body.sequence?.isEmpty == true ? (.times, 0) : times(body, kind).map { (.times, $0) }
    }
  }

  /// Reads `[once, repeat]`. The first word is the initial value by default.
  private mutating func choice(_ node: Node, _ initial: Node?) -> (SettingKind, Int64)? {
    let words = node.sequence?.compactMap(\.string) ?? []
    guard (2...64).contains(words.count), Set(words).count == words.count,
      !words.contains(where: \.isEmpty)
    else {
      report(node, "\"choice\" must be a list of 2 to 64 different words")
      return nil
    }
    guard let initial else { return (.choice(words), 0) }
    let word = initial.string ?? ""
    guard let index = words.firstIndex(of: word) else {
      report(
        initial, "\"\(word)\" is not among \(words.joined(separator: ", "))" + hint(word, words))
      return nil
    }
    return (.choice(words), Int64(index))
  }

  private mutating func number(
    _ node: Node, _ initial: Node?, _ parameterNode: Node
  ) -> (SettingKind, Int64)? {
    guard let range = range(node, "number") else { return nil }
    guard range.clamped(to: Self.numberRange) == range else {
      report(node, "a number must be from 0 to 100000")
      return nil
    }
    guard let initial else {
      report(parameterNode, "a number needs \"initial\"")
      return nil
    }
    guard let number = initial.wholeNumber.map(Int64.init), range.contains(number) else {
      report(
        initial,
        "must be from \(range.lowerBound) to \(range.upperBound)"
          + Self.remedy(forQuotesAt: initial))
      return nil
    }
    return (.count(range), number)
  }

  // MARK: - Lists

  /// Reads times of day such as ["08:00", "20:00"]. Returns their stored value, the code of a
  /// `NumberList` of minutes.
  mutating func times(_ node: Node, _ subject: String) -> Int64? {
    let times = node.sequence?.map { $0.string.flatMap { LocalTime($0) } } ?? []
    let minutes = Set(times.compactMap { $0?.minuteOfDay }).sorted()
    guard !times.isEmpty, minutes.count == times.count, let list = NumberList(minutes) else {
      report(
        node,
        "\(subject) must be a list of 1 to \(NumberList.countMax) different times of day "
          + "such as [\"08:00\", \"20:00\"]" + hint(atTimeIn: node))
      return nil
    }
    return list.code
  }

  /// Returns a hint at the time that the first wrong entry probably means.
  private func hint(atTimeIn node: Node) -> String {
    let entries = node.sequence.map(Array.init) ?? [node]
    let wrong = entries.first { $0.string.flatMap { LocalTime($0) } == nil }
    return wrong?.string.flatMap { MeantValue.time($0) }.map { MeantValue.question("\($0)") } ?? ""
  }

  /// Reads whole numbers such as [24, 2]. Returns their stored value, the code of a `NumberList`.
  private mutating func numbers(_ node: Node) -> Int64? {
    let numbers = node.sequence?.map(\.wholeNumber) ?? []
    let wholeNumbers = numbers.compactMap { $0 }
    guard wholeNumbers.count == numbers.count, let list = NumberList(wholeNumbers) else {
      report(
        node,
        "must be a list of at most \(NumberList.countMax) whole numbers from 0 to 1439, "
          + "such as [24, 2]")
      return nil
    }
    return list.code
  }

  /// Reads `[1, 30]`, the range from 1 to 30.
  mutating func range(_ node: Node, _ subject: String) -> ClosedRange<Int64>? {
    let bounds = node.sequence?.map { $0.wholeNumber.map(Int64.init) } ?? []
    guard bounds.count == 2, let lower = bounds[0], let upper = bounds[1], lower <= upper else {
      report(node, "\(subject) must be a list of its least and greatest value, such as [1, 30]")
      return nil
    }
    return lower...upper
  }
}
