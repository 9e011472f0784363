import Reminders
import Store

/// Rows of `adoption` and of `adopted_text`, verified by their checksums.
extension AdoptionRow {
  /// Reads the current row of a statement on `adoption`.
  static func adoption(_ row: HotStatement) throws -> Adoption {
    try row.row(of: .adoption) { adoption(from: &$0) }
  }

  /// Reads the text in the current row of a statement on `adopted_text`.
  static func text(_ row: HotStatement) throws -> String {
    try row.row(of: .adoptedText) { reader in
      _ = reader.text()
      return reader.text()
    }
  }

  static func bind(_ adoption: Adoption, to insert: HotStatement) {
    var binder = RowBinder(insert)
    put(adoption, to: &binder)
    binder.putChecksum()
  }

  static func bind(text: String, of catalogs: String, to insert: HotStatement) {
    var binder = RowBinder(insert)
    binder.put(text: catalogs)
    binder.put(text: text)
    binder.putChecksum()
  }
}
