/// Checks the top level of the checkout.
enum LayoutRules {
  static func topLevel(of tree: ProjectTree) -> [Violation] {
    let known = Layout.topLevel.union(Layout.topLevelOptional)
    let foreign = tree.topLevel.filter { !known.contains($0) && !$0.hasPrefix(".") }
    let missing = Layout.topLevel.subtracting(tree.topLevel).sorted()
    return foreign.map {
      Violation(path: $0, line: 1, message: "is not allowed at the top level: move or remove it")
    } + missing.map { Violation(path: $0, line: 1, message: "is missing: add it") }
  }
}
