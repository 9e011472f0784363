/// Checks that a reader finds a type by the name of its file.
enum TypeFileRules {
  /// The number of lines that are visible without scrolling.
  static let lineCountMax = 50

  /// Reports each type with more than `lineCountMax` lines whose file is not named after it:
  /// `Type.swift` or `Type+Aspect.swift`. Smaller types may share the file of their topic. Private
  /// types may be in any file.
  static func largeTypes(in file: ProjectFile) -> [Violation] {
    guard file.target != nil else { return [] }
    let title = file.path.split(separator: "/").last?.prefix { $0 != "+" && $0 != "." } ?? ""
    let types = SwiftType.all(in: file.tokens).filter { type in
      !type.isPrivate && type.lineCount > lineCountMax && type.name != title
    }
    return types.map { type in
      let message =
        "`\(type.name)` has \(type.lineCount) lines, more than \(lineCountMax): move it to "
        + "`\(type.name).swift`"
      return file.violation(line: type.firstLine, message)
    }
  }
}
