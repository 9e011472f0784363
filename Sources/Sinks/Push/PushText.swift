/// Text that has to fit.
package enum PushText {
  /// Writes a document with as much of a text as fits, and an ellipsis where it is cut.
  ///
  /// The text is cut between characters as people see them. O(n log n).
  ///
  /// - Parameters:
  ///   - limit: how many bytes the document may have.
  ///   - write: gives the document with a text; a longer text may not give a shorter document.
  /// - Returns: nil if even the document without any text is too long.
  package static func fit(
    _ text: String, into limit: Int, _ write: (String) -> [UInt8]
  ) -> [UInt8]? {
    let whole = write(text)
    guard whole.count > limit else { return whole }
    var best: [UInt8]?
    // Whatever is beyond the limit cannot be part of it.
    let characters = Array(text.utf8.count > limit ? text.prefix(limit) : text[...])
    var range = 0..<characters.count
    while true {
      let middle = range.lowerBound + range.count / 2
      let document = write(middle == 0 ? "" : String(characters[..<middle]) + "…")
      if document.count <= limit {
        best = document
        range = middle + 1..<max(middle + 1, range.upperBound)
      } else {
        range = range.lowerBound..<middle
      }
      if range.isEmpty { return best }
    }
  }
}
