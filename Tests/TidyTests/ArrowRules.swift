/// Checks that targets depend on each other only as the layout allows.
enum ArrowRules {
  static func imports(in file: ProjectFile) -> [Violation] {
    guard let target = file.target, let allowed = Layout.arrows[target] else { return [] }
    return importedModules(in: file.tokens)
      .filter { Layout.arrows.keys.contains($0.name) && !allowed.contains($0.name) }
      .map {
        let message =
          "\(target) may not import \($0.name): targets depend on each other in one direction"
        return file.violation(line: $0.line, message)
      }
  }

  static func foundationInPureTargets(in file: ProjectFile) -> [Violation] {
    guard let target = file.target, Layout.pureTargets.contains(target) else { return [] }
    return importedModules(in: file.tokens)
      .filter { ["Foundation", "FoundationEssentials", "Dispatch"].contains($0.name) }
      .map { file.violation(line: $0.line, "\(target) is pure: do not import \($0.name)") }
  }

  /// Reports directories of code that are not in the package, which would be neither compiled nor
  /// tested, and those of `Sources` that are not in the layout. A directory below `Tests` that
  /// contains only data needs no target.
  static func directoriesAreTargets(in tree: ProjectTree) -> [Violation] {
    guard let manifest = tree.file("Package.swift") else { return [] }
    let sources = tree.directories(in: "Sources") { _ in true }.map { ("Sources/" + $0, $0) }
    let tests = tree.directories(in: "Tests", holding: \.isCode).map { ("Tests/" + $0, $0) }
    let unnamed = (sources + tests).filter { path, name in
      tree.file(path + "/Package.swift") == nil && !declares(name, in: manifest)
    }
    let unlisted = sources.filter { Layout.arrows[$0.1] == nil }
    return unnamed.map { Violation(path: $0.0, line: 1, message: "is no target: declare it") }
      + unlisted.map { Violation(path: $0.0, line: 1, message: "not in Layout.arrows: add it") }
  }

  private static func importedModules(in tokens: [Token]) -> [(name: String, line: Int)] {
    let kinds: Set = ["actor", "class", "enum", "func", "let", "protocol", "struct", "var"]
    return tokens.indices.dropLast().compactMap { index in
      guard tokens[index].text == "import", !tokens.isMember(at: index) else { return nil }
      let next = kinds.contains(tokens[index + 1].text) ? index + 2 : index + 1
      return next < tokens.count ? (tokens[next].text, tokens[index].line) : nil
    }
  }

  /// A target is declared by a call whose first argument is its name; products do not count.
  private static func declares(_ name: String, in manifest: ProjectFile) -> Bool {
    manifest.lines.indices.contains { index in
      let line = manifest.lines[index].drop { $0 == " " }
      let isProduct = [".product", ".executable(", ".library("].contains(where: line.hasPrefix)
      return !isProduct && !line.hasPrefix("//")
        && (line.contains("(\"\(name)\"") || line.contains("name: \"\(name)\"")
          || line.contains("in: \"Tests/\(name)\"")
          || line.hasPrefix("\"\(name)\"") && opensDeclaration(manifest, before: index))
    }
  }

  /// Whether the previous line begins a call with its arguments on separate lines.
  private static func opensDeclaration(_ manifest: ProjectFile, before index: Int) -> Bool {
    index > 0
      && ["module(", "program(", "tests("].contains {
        manifest.lines[index - 1].hasSuffix($0)
      }
  }
}
