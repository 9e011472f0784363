import CivilTime
import Engine

/// Parses the start of a page of a list (rule H3).
enum PageBounds {
  /// Returns the number of the last item of the previous page; 0 for the first page.
  static func number(after text: String?) throws(Problem) -> Int64 {
    guard let text else { return 0 }
    if let number = Int64(text), number >= 0 { return number }
    throw invalid(text)
  }

  static func invalid(_ after: String) -> Problem {
    Problem(
      .invalidParameter,
      "after must be the \"next\" of the previous page; it is \"\(after.shortened)\"", path: "after"
    )
  }
}

/// The end of a page of an agenda, the list of a recipient's occurrences (rule H3). The cursor
/// identifies an entry, not an index, because entries leave the front of the agenda between
/// requests.
struct PageCursor: Hashable {
  /// The entry's instant of sending.
  var at: Instant
  /// The entry's planned instant.
  var planned: Instant
  var reminder: String

  init(_ entry: Agenda.Entry) {
    at = entry.at
    planned = entry.planned
    reminder = entry.reminder
  }

  /// Parses a cursor; nil if the text is not one.
  init?(_ text: String) {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 2) else { return nil }
    let bytes = stride(from: 0, to: digits.count, by: 2).map { index in
      PercentEncoding.byte(digits[index], digits[index + 1])
    }
    guard let decodedText = String(validating: bytes.compactMap(\.self), as: UTF8.self) else {
      return nil
    }
    let fields = decodedText.split(separator: " ", maxSplits: 2)
    guard fields.count == 3, !bytes.contains(nil), let at = Int64(fields[0]),
      let planned = Int64(fields[1])
    else { return nil }
    self.at = Instant(milliseconds: at)
    self.planned = Instant(milliseconds: planned)
    reminder = String(fields[2])
  }

  /// The cursor in hexadecimal digits, which need no escaping and hide its format.
  var text: String {
    let decodedText = "\(at.milliseconds) \(planned.milliseconds) \(reminder)"
    return decodedText.utf8.map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
  }

  /// The index of the first entry after the cursor. O(count).
  func next(in entries: [Agenda.Entry]) -> Int {
    if let last = entries.lastIndex(where: { PageCursor($0) == self }) { return last + 1 }
    return entries.firstIndex { $0.at >= at } ?? entries.count
  }
}
