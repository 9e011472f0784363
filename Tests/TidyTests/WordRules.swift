/// Words that the project must not contain. They are assembled from parts here, so that this file
/// does not contain them.
enum WordRules {
  private static let unfinished: Set = ["TO" + "DO", "FIX" + "ME", "XX" + "X"]
  private static let outside = ["/wo" + "rk/", "../sha" + "red", "systemd" + "-lab", "/fa" + "rm/"]

  static func unfinishedMarks(in file: ProjectFile) -> [Violation] {
    file.numberedLines.flatMap { number, text in
      words(of: text).filter(unfinished.contains).map {
        file.violation(line: number, "`\($0)`: do it now, or leave it out")
      }
    }
  }

  static func outsideNames(in file: ProjectFile) -> [Violation] {
    file.numberedLines.flatMap { number, text in
      outside.filter(text.contains).map {
        file.violation(line: number, "`\($0)` is outside the project: remove the reference")
      }
    }
  }

  private static func words(of line: Substring) -> [String] {
    guard line.utf8.count > 2 else { return [] }
    return line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
  }
}
