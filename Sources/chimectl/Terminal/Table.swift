import CivilTime

/// A table of text. Each column is as wide as its longest cell, and columns are two spaces apart.
package struct Table {
  private struct Cell {
    var text: String
    var style: Style?
  }

  private static let gap = 2
  /// The minimum width of a shrunk column.
  private static let columnWidthMin = 8

  private let header: [Cell]
  private var rows: [[Cell]] = []

  package init(header: [String] = []) {
    self.header = header.map { Cell(text: $0, style: .strong) }
  }

  /// - Parameter styles: the styles of highlighted cells, by column.
  package mutating func add(_ cells: [String], styles: [Int: Style] = [:]) {
    rows.append(
      cells.enumerated().map { Cell(text: $1.printable, style: styles[$0]) })
  }

  /// The table's lines, newline-terminated and without trailing spaces.
  package var text: String { text(on: .current) }

  /// Returns the table's lines. Cells that do not fit are wrapped, those of the widest columns
  /// first. If a table with a header is still too wide, each row becomes a paragraph.
  package func text(on screen: Screen) -> String {
    let widths = widths(in: screen.width)
    if let available = screen.width, Self.sum(widths) > available, !header.isEmpty {
      return rows.map { paragraph($0, available, on: screen) }.joined(separator: "\n")
    }
    return allRows.map { Self.block($0, widths, on: screen) }.joined()
  }

  /// Returns each row on one line, cut to the screen's width.
  package func cut(to screen: Screen) -> String {
    let widths = widths(in: screen.width)
    return allRows.map { Self.line($0, widths, on: screen) + "\n" }.joined()
  }

  private var allRows: [[Cell]] { (header.isEmpty ? [] : [header]) + rows }

  // MARK: - Columns

  private func widths(in available: Int?) -> [Int] {
    let naturalWidths = allRows.reduce(into: [Int]()) { widths, row in
      for (column, cell) in row.enumerated() {
        if column == widths.count { widths.append(0) }
        widths[column] = max(widths[column], cell.text.columns)
      }
    }
    return available.map { Self.fitted(naturalWidths, to: $0) } ?? naturalWidths
  }

  private static func sum(_ widths: [Int]) -> Int {
    widths.reduce(0, +) + gap * (widths.count - 1)
  }

  /// Shrinks the widest columns until the widths fit, or all columns have the minimum width.
  private static func fitted(_ widths: [Int], to available: Int) -> [Int] {
    var widths = widths
    var excess = sum(widths) - available
    while excess > 0, let widest = widths.max(), widest > columnWidthMin,
      let column = widths.lastIndex(of: widest)
    {
      widths[column] -= 1
      excess -= 1
    }
    return widths
  }

  // MARK: - Lines

  private static func block(_ cells: [Cell], _ widths: [Int], on screen: Screen) -> String {
    let cellLines = zip(cells, widths).map { $0.text.wrapped(to: $1) }
    return (0..<(cellLines.map(\.count).max() ?? 1)).map { number in
      let row = zip(cells, cellLines).map { cell, lines in
        Cell(text: number < lines.count ? lines[number] : "", style: cell.style)
      }
      // The terminal wraps lines that are still too long.
      return line(row, widths, on: Screen(hasColour: screen.hasColour)) + "\n"
    }.joined()
  }

  private static func line(_ cells: [Cell], _ widths: [Int], on screen: Screen) -> String {
    var (line, pendingSpaces) = ("", 0)
    var available = screen.width ?? .max
    for (cell, width) in zip(cells, widths) {
      let text = cell.text.cut(to: min(width, available - pendingSpaces))
      if !text.isEmpty {
        line += String(repeating: " ", count: pendingSpaces)
        line += cell.style?.mark(text, on: screen) ?? text
        available -= pendingSpaces + text.columns
        pendingSpaces = 0
      }
      pendingSpaces += width - text.columns + gap
    }
    return line
  }

  /// Returns a line for each non-empty cell, with its column's name.
  private func paragraph(_ cells: [Cell], _ available: Int, on screen: Screen) -> String {
    let margin = (header.map(\.text.columns).max() ?? 0) + Self.gap
    let widths = [margin - Self.gap, max(Self.columnWidthMin, available - margin)]
    return zip(header, cells).filter { !$1.text.isEmpty }
      .map { Self.block([$0, $1], widths, on: screen) }.joined()
  }
}

/// Describes the time until or since an instant, in its two largest units.
enum Countdown {
  /// Returns a text such as "in 23 h 59 min", "in 9 h", "in 45 s", "now" or "5 min ago". The time
  /// is rounded to seconds; from a minute on, seconds are omitted, and from a day on, minutes.
  static func text(to instant: Instant, from now: Instant) -> String {
    let milliseconds = (instant - now).milliseconds
    let seconds = (milliseconds.magnitude + 500) / 1_000
    if seconds == 0 { return "now" }
    return milliseconds < 0 ? "\(length(seconds)) ago" : "in \(length(seconds))"
  }

  /// Returns a text such as "2 d 3 h", "23 h 59 min" or "45 s".
  static func length(_ seconds: UInt64) -> String {
    switch seconds {
    case ..<60: "\(seconds) s"
    case ..<3_600: "\(seconds / 60) min"
    case ..<86_400: joined(seconds / 3_600, "h", seconds / 60 % 60, "min")
    default: joined(seconds / 86_400, "d", seconds / 3_600 % 24, "h")
    }
  }

  /// Describes the time since an instant; "0 s" for a future instant.
  static func length(from instant: Instant, to now: Instant) -> String {
    length(seconds(from: instant, to: now))
  }

  static func seconds(from instant: Instant, to now: Instant) -> UInt64 {
    UInt64(max(0, (now - instant).milliseconds / 1_000))
  }

  private static func joined(
    _ large: UInt64, _ unit: String, _ small: UInt64, _ smallUnit: String
  ) -> String {
    small == 0 ? "\(large) \(unit)" : "\(large) \(unit) \(small) \(smallUnit)"
  }
}
