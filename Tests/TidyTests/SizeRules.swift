/// The size limits of lines, files and functions.
enum SizeRules {
  static let columnsMax = 100
  static let fileLinesMax = 600
  static let testFileLinesMax = 600
  static let functionLinesMax = 70

  static func longLines(in file: ProjectFile) -> [Violation] {
    guard file.isCode else { return [] }
    return file.numberedLines
      .filter { $0.text.utf8.count > columnsMax && $0.text.count > columnsMax }
      .map {
        let message = "\($0.text.count) columns, \(columnsMax) at most: break the line"
        return file.violation(line: $0.number, message)
      }
  }

  static func longFiles(in file: ProjectFile) -> [Violation] {
    let maximum = file.isInTests ? testFileLinesMax : fileLinesMax
    let count = file.lines.last == "" ? file.lines.count - 1 : file.lines.count
    guard file.isCode, count > maximum else { return [] }
    return [
      file.violation(line: maximum + 1, "\(count) lines, \(maximum) at most: split it by concern")
    ]
  }

  static func longFunctions(in file: ProjectFile) -> [Violation] {
    file.functions.filter { $0.lineCount > functionLinesMax }.map {
      let message = "`\($0.name)` has \($0.lineCount) lines, \(functionLinesMax) at most: split it"
      return file.violation(line: $0.firstLine, message)
    }
  }
}
