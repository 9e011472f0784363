/// The headings and links of a Markdown file, except those in code blocks.
struct MarkdownText {
  struct Heading: Equatable {
    let level: Int
    let text: String
    let line: Int
  }

  struct Link: Equatable {
    let target: String
    let line: Int
  }

  let headings: [Heading]
  let links: [Link]

  init(_ file: ProjectFile) {
    let prose = Self.prose(of: file)
    headings = prose.compactMap { Self.heading($0.text, line: $0.number) }
    links = prose.flatMap { number, text in
      Self.targets(in: text).map { Link(target: $0, line: number) }
    }
  }

  /// The anchors of the headings, as GitHub names them.
  var anchors: Set<String> {
    var counts: [String: Int] = [:]
    return Set(
      headings.map { heading in
        let slug = Self.slug(heading.text)
        let repetition = counts[slug, default: 0]
        counts[slug] = repetition + 1
        return repetition == 0 ? slug : "\(slug)-\(repetition)"
      })
  }

  /// Returns the lines outside of code blocks.
  private static func prose(of file: ProjectFile) -> [(number: Int, text: Substring)] {
    var fence: Substring?
    return file.numberedLines.filter { _, text in
      let trimmed = text.drop { $0 == " " }
      if let open = fence {
        if trimmed.hasPrefix(open) { fence = nil }
        return false
      }
      fence = ["```", "~~~"].first(where: trimmed.hasPrefix)
      return fence == nil
    }
  }

  private static func heading(_ line: Substring, line number: Int) -> Heading? {
    let level = line.prefix { $0 == "#" }.count
    let rest = line.dropFirst(level)
    guard (1...6).contains(level), rest.hasPrefix(" ") else { return nil }
    return Heading(level: level, text: String(rest.drop { $0 == " " }), line: number)
  }

  /// Returns the targets of inline links and images, `[text](target)`, and of definitions,
  /// `[name]: target`.
  private static func targets(in line: Substring) -> [String] {
    let prose = line.replacing(#/`[^`]*`/#, with: "")
    let inline = prose.matches(of: #/\]\(\s*<?([^)>\s]+)/#).map { String($0.output.1) }
    let definition = prose.prefixMatch(of: #/\s{0,3}\[[^\]]+\]:\s*<?([^>\s]+)/#)
    return inline + (definition.map { [String($0.output.1)] } ?? [])
  }

  /// Returns the anchor of a heading: in lower case, with hyphens for spaces, without punctuation.
  private static func slug(_ heading: String) -> String {
    String(
      heading.lowercased().compactMap { character -> Character? in
        if character == " " { return "-" }
        let isKept = character.isLetter || character.isNumber || "-_".contains(character)
        return isKept ? character : nil
      })
  }
}
