/// Checks the format of documents: one title, and links with existing targets.
enum MarkdownRules {
  static func oneTitle(in file: ProjectFile) -> [Violation] {
    guard file.isMarkdown else { return [] }
    let titles = MarkdownText(file).headings.filter { $0.level == 1 }
    if titles.count == 1 { return [] }
    let message = "\(titles.count) titles (`# Title`): write exactly one"
    return [file.violation(line: titles.dropFirst().first?.line ?? 1, message)]
  }

  static func brokenLinks(in tree: ProjectTree) -> [Violation] {
    tree.files.filter(\.isMarkdown).flatMap { file in
      MarkdownText(file).links.compactMap { link in
        problem(with: link.target, in: file, of: tree).map {
          file.violation(line: link.line, "link to `\(link.target)`: \($0)")
        }
      }
    }
  }

  private static func problem(
    with target: String, in file: ProjectFile, of tree: ProjectTree
  ) -> String? {
    if isExternal(target) { return nil }
    let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    let anchor = parts.count > 1 ? String(parts[1]) : nil
    guard let path = resolve(String(parts[0]), from: file.path) else {
      return "is outside the project"
    }
    guard path.isEmpty || tree.paths.contains(path) else { return "there is no such file" }
    guard let anchor else { return nil }
    let anchors = tree.file(path).map { $0.isMarkdown ? MarkdownText($0).anchors : [] } ?? []
    return anchors.contains(anchor) ? nil : "there is no such heading"
  }

  private static func isExternal(_ target: String) -> Bool {
    ["http://", "https://", "mailto:"].contains(where: target.hasPrefix)
  }

  /// Returns the path from the top of the checkout; empty for the top itself, nil outside the
  /// checkout.
  private static func resolve(_ relative: String, from path: String) -> String? {
    if relative.isEmpty { return path }
    var parts = relative.hasPrefix("/") ? [] : Array(path.split(separator: "/").dropLast())
    for part in relative.split(separator: "/") where part != "." {
      if part != ".." {
        parts.append(part)
      } else if parts.popLast() == nil {
        return nil
      }
    }
    return parts.joined(separator: "/")
  }
}
