/// What lies at the top of the checkout.
enum LayoutRules {
  static func topLevel(of tree: ProjectTree) -> [Violation] {
    let known = Layout.topLevel.union(Layout.topLevelOptional)
    let foreign = tree.topLevel.filter { !known.contains($0) && !$0.hasPrefix(".") }
    let missing = Layout.topLevel.subtracting(tree.topLevel).sorted()
    return foreign.map {
      Violation(path: $0, line: 1, message: "the top level has no place for it: move or remove it")
    } + missing.map { Violation(path: $0, line: 1, message: "is missing: add it") }
  }
}
