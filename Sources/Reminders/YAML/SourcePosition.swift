import Yams

/// A position in a file. Lines and columns count from 1.
struct SourcePosition: Hashable {
  var line: Int
  var column: Int
}

extension SourcePosition {
  init(_ mark: Yams.Mark) {
    self.init(line: mark.line, column: mark.column)
  }
}
