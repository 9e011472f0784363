/// The text of one catalog file.
package struct CatalogSource: Sendable {
  package let file: String
  package let text: String

  package init(file: String, text: String) {
    self.file = file
    self.text = text
  }
}

extension Catalog {
  /// Reads catalog files into one catalog; every mistake in them is found at once.
  package init(reading sources: [CatalogSource]) throws(CatalogErrors) {
    var reader = CatalogReader()
    for source in sources { reader.read(source) }
    guard reader.diagnostics.isEmpty else {
      throw CatalogErrors(diagnostics: reader.diagnostics)
    }
    self = reader.catalog
    requested = categories.enumerated().map { Reminder(requestedIn: $1, index: $0) }
    lockSettings()
    // A bare hash: whoever writes the catalogs gains nothing by two that look like one.
    let hash = sources.reduce(UInt64(0)) { mixed($0 ^ stableHash($1.text)) }
    fingerprint = String(hash, radix: 16)
  }
}
