/// What is found wrong in one file; a bounded part of it in words.
struct Findings {
  let file: String
  private var first: [HolidayDiagnostic] = []
  private var count = 0

  private static let most = 100

  init(file: String) {
    self.file = file
  }

  mutating func add(_ line: Int, _ flaw: Flaw) {
    count += 1
    guard first.count < Self.most else { return }
    first.append(HolidayDiagnostic(file: file, line: line, message: flaw.message))
  }

  /// In the order of the lines.
  var diagnostics: [HolidayDiagnostic] {
    let others = count - first.count
    let rest = HolidayDiagnostic(file: file, message: "has \(others) further errors")
    return first.sorted { $0.line < $1.line } + (others > 0 ? [rest] : [])
  }
}
