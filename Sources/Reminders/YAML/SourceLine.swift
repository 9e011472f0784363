/// A line of a YAML file, which finds its parts for explanations of syntax errors. Indices count
/// from 0.
struct SourceLine {
  let scalars: [Unicode.Scalar]

  /// The number of spaces and tabs at the beginning of the line.
  var indentation: Int { scalars.prefix { $0 == " " || $0 == "\t" }.count }

  /// Whether the line has more than spaces and a comment.
  var hasContent: Bool {
    let first = scalars.first { $0 != " " && $0 != "\t" }
    return first != nil && first != "#"
  }

  /// The index of the line's first key: after the spaces and the marks of list entries.
  var start: Int {
    var index = indentation
    while scalars.dropFirst(index).starts(with: "- ".unicodeScalars) {
      index += 2
      while index < scalars.count, scalars[index] == " " { index += 1 }
    }
    return index
  }

  /// The index of the value of the line's first key; nil if the line has no key or no value.
  var valueIndex: Int? {
    guard let colon = separators.first else { return nil }
    return (colon + 1..<scalars.count).first { scalars[$0] != " " }
  }

  /// The indices of the colons that end keys outside quotation marks.
  var separators: [Int] {
    var quote: Unicode.Scalar?
    return scalars.indices.dropFirst(start).filter { index in
      let scalar = scalars[index]
      if let open = quote {
        if scalar == open { quote = nil }
      } else if scalar == "\"" || (scalar == "'" && !isLetter(before: index)) {
        quote = scalar
      } else {
        return scalar == ":" && (index + 1 == scalars.count || scalars[index + 1] == " ")
      }
      return false
    }
  }

  /// The indices of the double quotation marks, except in a comment.
  var quotes: [Int] {
    var isOpen = false
    var quotes: [Int] = []
    for (index, scalar) in scalars.enumerated() {
      if scalar == "#", !isOpen, index == 0 || scalars[index - 1] == " " { break }
      guard scalar == "\"", index == 0 || scalars[index - 1] != "\\" else { continue }
      isOpen.toggle()
      quotes.append(index)
    }
    return quotes
  }

  /// The index of the first no-break space where YAML needs a space: in the indentation, or after
  /// a colon.
  var noBreakSpace: Int? {
    scalars.indices.first { index in
      guard scalars[index] == "\u{a0}" else { return false }
      return scalars[..<index].allSatisfy { " -\t\u{a0}".unicodeScalars.contains($0) }
        || scalars[index - 1] == ":"
    }
  }

  /// Whether a key or a value may begin at an index: after `:`, `-`, `,` or a bracket.
  func beginsValue(at index: Int) -> Bool {
    let previous = scalars[..<index].last { $0 != " " }
    return previous.map { ":-,[{?".unicodeScalars.contains($0) } ?? true
  }

  /// The number of brackets that are open before an index.
  func depth(before index: Int) -> Int {
    scalars.prefix(index).reduce(0) { depth, scalar in
      switch scalar {
      case "{", "[": depth + 1
      case "}", "]": depth - 1
      default: depth
      }
    }
  }

  /// The text from an index to the end of the line, or of the entry between brackets, without
  /// surrounding spaces.
  func text(from index: Int) -> String {
    let isBracketed = depth(before: index) > 0
    var rest = scalars.dropFirst(index)
    if isBracketed { rest = rest.prefix { $0 != "," && $0 != "}" && $0 != "]" } }
    return Self.text(rest)
  }

  /// The word that begins at an index, in the letters that YAML allows for names of anchors.
  func word(from index: Int) -> String {
    let signs = "0123456789_-".unicodeScalars
    let rest = scalars.dropFirst(index)
    return Self.text(rest.prefix { $0.properties.isAlphabetic || signs.contains($0) })
  }

  func text(_ range: Range<Int>) -> String {
    Self.text(scalars[range.clamped(to: scalars.indices)])
  }

  private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars)
    return String(text).trimmed
  }

  private func isLetter(before index: Int) -> Bool {
    index > 0 && scalars[index - 1].properties.isAlphabetic
  }
}
