import Yams

extension CatalogReader {
  /// A former name of a reminder, with its position in the catalog.
  struct FormerName {
    var file: String
    var node: Node
    var former: String
    /// The current name.
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
  /// - Parameter name: the name of the reminder that the draft adds: `draft.name`, or for a
  ///   milestone or a repetition, the name made from it.
  mutating func recordFormerNames(of name: String, _ draft: Draft) {
    for node in draft.formerNameNodes {
      let former = Self.formerName(node.string ?? "", of: name, declaredAs: draft.name)
      formerNames.append(FormerName(file: file, node: node, former: former, name: name))
    }
  }

  /// Returns the former name of one reminder of a declaration. With `was: goal-{days}`, the
  /// milestone "milestone-7" of "milestone-{days}" was "goal-7". With `was: weight`, the repetition
  /// "weigh-in+1" was "weight+1".
  private static func formerName(
    _ former: String, of name: String, declaredAs declared: String
  ) -> String {
    guard let placeholder = declared.firstRange(of: "{days}") else {
      return former + name.dropFirst(declared.count)
    }
    let start = declared[..<placeholder.lowerBound]
    let end = declared[placeholder.upperBound...]
    let days = name.dropFirst(start.count).dropLast(end.count)
    return former.replacing("{days}", with: days)
  }

  /// Checks the recorded former names, and maps them to their reminders. All reminders must have
  /// been read.
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
