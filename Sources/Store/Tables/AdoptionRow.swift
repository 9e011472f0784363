import CivilTime
package import Reminders

/// A row of `adoption`.
package enum AdoptionRow {
  package static func adoption(from reader: inout some RowReader) -> Adoption {
    Adoption(
      at: reader.instant(), catalogs: reader.text(), zones: reader.text(),
      settings: reader.text())
  }

  package static func put(_ adoption: Adoption, to writer: inout some RowWriter) {
    writer.put(instant: adoption.at)
    writer.put(text: adoption.catalogs)
    writer.put(text: adoption.zones)
    writer.put(text: adoption.settings)
  }
}
