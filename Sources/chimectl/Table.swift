/// Rows whose columns are as wide as their longest cell, two spaces apart.
struct Table {
  private var rows: [[String]] = []

  init(header: [String] = []) {
    if !header.isEmpty { rows.append(header) }
  }

  mutating func add(_ cells: [String]) {
    rows.append(cells.map(\.printable))
  }

  /// The lines, each with its end and without spaces before it.
  var text: String {
    let widths = rows.reduce(into: [Int]()) { widths, row in
      for (column, cell) in row.enumerated() {
        if column == widths.count { widths.append(0) }
        widths[column] = max(widths[column], cell.columns)
      }
    }
    return rows.map { Self.line($0, widths) + "\n" }.joined()
  }

  private static func line(_ cells: [String], _ widths: [Int]) -> String {
    var line = zip(cells, widths).map { $0.padded(to: $1) }.joined(separator: "  ")[...]
    while line.last == " " { line.removeLast() }
    return String(line)
  }
}
