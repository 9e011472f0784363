import Store

/// Rows of `attempt`, verified by their checksums.
extension AttemptRow {
  init(_ row: HotStatement) throws {
    self = try row.row(of: .attempt) { AttemptRow(from: &$0) }
  }

  func bind(to insert: HotStatement) {
    var binder = RowBinder(insert)
    put(to: &binder)
    binder.putChecksum()
  }
}
