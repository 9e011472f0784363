import Yams

extension CatalogReader {
  /// A former name of a reminder.
  struct FormerName {
    var file: String
    var node: Node
    var former: String
    var name: String
  }

  /// Reads `was: old-name` or `was: [old-name, older-name]`.
  mutating func formerNames(_ node: Node) -> [Node] {
    let nodes = node.sequence.map(Array.init) ?? [node]
    let names = nodes.filter { $0.string?.isEmpty == false }
    if nodes.isEmpty || names.count < nodes.count {
      report(node, "\"was\" must be a former name of the reminder, or a list of such names")
    }
    return names
  }

  /// Records the former names of a reminder. Its repetitions and milestones get corresponding
  /// former names.
  ///
  /// - Parameter name: the name of the reminder that is added.
  mutating func recordFormerNames(of name: String, _ draft: Draft) {
    for node in draft.formerNameNodes {
      let former = Self.former(node.string ?? "", of: name, declaredAs: draft.name)
      formerNames.append(FormerName(file: file, node: node, former: former, name: name))
    }
  }

  /// Returns the former name of a milestone such as "milestone-7", declared as "milestone-{days}",
  /// or of a repetition such as "weigh-in+1".
  private static func former(
    _ former: String, of name: String, declaredAs declared: String
  ) -> String {
    guard let gap = declared.firstRange(of: "{days}") else {
      return former + name.dropFirst(declared.count)
    }
    let (start, end) = (declared[..<gap.lowerBound], declared[gap.upperBound...])
    let days = name.dropFirst(start.count).dropLast(end.count)
    return former.replacing("{days}", with: days)
  }

  /// Checks the former names when all reminders are known, and maps them to their reminders.
  mutating func readFormerNames() {
    for entry in formerNames {
      let former = Symbol(entry.former)
      file = entry.file
      if catalog.reminderIndices[former] != nil, catalog.renaming[former] == former {
        report(
          entry.node,
          "\"\(entry.former)\" is a declared reminder; \"was\" must name a removed one")
      } else if !catalog.renaming.add(former, to: Symbol(entry.name)) {
        report(
          entry.node, "\"\(entry.former)\" is the former name of two reminders; name it once")
      } else {
        catalog.reminderIndices[former] = catalog.reminderIndices[Symbol(entry.name)]
      }
    }
  }
}
