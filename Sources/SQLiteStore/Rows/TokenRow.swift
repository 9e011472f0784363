import Access
import Store

/// Rows of `token`, verified by their checksums: a changed bit could grant access.
extension TokenRow {
  /// Reads the current row of a statement.
  static func token(_ row: HotStatement) throws -> TokenRecord {
    try row.row(of: .token) { token(from: &$0) }
  }

  static func bind(_ token: TokenRecord, to insert: HotStatement) {
    var binder = RowBinder(insert)
    put(token, to: &binder)
    binder.putChecksum()
  }
}
