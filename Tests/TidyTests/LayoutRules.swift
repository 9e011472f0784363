/// Checks the top level of the checkout, and its configuration.
enum LayoutRules {
  static func topLevel(of tree: ProjectTree) -> [Violation] {
    let allowed = Layout.topLevel.union(Layout.topLevelOptional)
    let foreign = tree.topLevel.filter { !allowed.contains($0) && !$0.hasPrefix(".") }
    let missing = Layout.topLevel.subtracting(tree.topLevel).sorted()
    return foreign.map {
      Violation(path: $0, line: 1, message: "is not allowed at the top level: move or remove it")
    } + missing.map { Violation(path: $0, line: 1, message: "is missing: add it") }
  }

  /// Checks that each entry of `config` is allowed, and that the README of `config` names it.
  static func configuration(of tree: ProjectTree) -> [Violation] {
    let entries = tree.entries(of: "config")
    guard !entries.isEmpty else { return [] }
    guard let readme = tree.file("config/README.md") else {
      return [Violation(path: "config/README.md", line: 1, message: "is missing: add it")]
    }
    let foreign = entries.filter { !Layout.configuration.contains($0) }
    let unnamed = entries.filter { $0 != "README.md" && !readme.text.contains("`\($0)`") }
    return foreign.map {
      Violation(path: "config/" + $0, line: 1, message: "is not in Layout.configuration: move it")
    } + unnamed.map { readme.violation(line: 1, "does not explain `\($0)`: add it") }
  }
}
