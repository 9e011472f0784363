/// Rows whose columns are as wide as their longest cell, two spaces apart.
struct Table {
  private struct Cell {
    var text: String
    var style: Style?
  }

  private static let gap = 2
  /// How narrow a column may become at least, if it was wider.
  private static let narrowest = 8

  private var rows: [[Cell]] = []

  init(header: [String] = []) {
    if !header.isEmpty { rows.append(header.map { Cell(text: $0, style: .strong) }) }
  }

  /// - Parameter styles: of cells that stand out, by their column.
  mutating func add(_ cells: [String], styles: [Int: Style] = [:]) {
    rows.append(
      cells.enumerated().map { Cell(text: $1.printable, style: styles[$0]) })
  }

  /// The lines, each with its end and without spaces before it.
  var text: String { text(on: .current) }

  /// The lines, cut to what there is room for; the widest columns give way first.
  func text(on screen: Screen) -> String {
    let natural = rows.reduce(into: [Int]()) { widths, row in
      for (column, cell) in row.enumerated() {
        if column == widths.count { widths.append(0) }
        widths[column] = max(widths[column], cell.text.columns)
      }
    }
    let widths = screen.width.map { Self.fitted(natural, to: $0) } ?? natural
    return rows.map { Self.line($0, widths, on: screen) + "\n" }.joined()
  }

  private static func fitted(_ widths: [Int], to room: Int) -> [Int] {
    var widths = widths
    var excess = widths.reduce(0, +) + gap * (widths.count - 1) - room
    while excess > 0, let widest = widths.max(), widest > narrowest,
      let column = widths.lastIndex(of: widest)
    {
      widths[column] -= 1
      excess -= 1
    }
    return widths
  }

  private static func line(_ cells: [Cell], _ widths: [Int], on screen: Screen) -> String {
    var (line, pending) = ("", 0)
    var room = screen.width ?? .max
    for (cell, width) in zip(cells, widths) {
      let text = cell.text.cut(to: min(width, room - pending))
      if !text.isEmpty {
        line += String(repeating: " ", count: pending)
        line += cell.style?.mark(text, on: screen) ?? text
        room -= pending + text.columns
        pending = 0
      }
      pending += width - text.columns + gap
    }
    return line
  }
}
