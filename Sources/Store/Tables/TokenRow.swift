package import Access
import CivilTime

/// A row of `token`.
package enum TokenRow {
  /// Reads a token; returns nil if this version has no such scope.
  package static func token(from reader: inout some RowReader) -> TokenRecord? {
    let (identifier, name) = (reader.text(), reader.text())
    guard let scope = AccessScope(reader.text()) else { return nil }
    return TokenRecord(
      identifier: identifier, name: name, scope: scope, digest: reader.bytes(),
      created: reader.instant(), expiry: reader.optionalInstant(),
      revoked: reader.optionalInstant(), lastUse: reader.optionalInstant())
  }

  package static func put(_ token: TokenRecord, to writer: inout some RowWriter) {
    writer.put(text: token.identifier)
    writer.put(text: token.name)
    writer.put(text: token.scope.text)
    writer.put(bytes: token.digest)
    writer.put(instant: token.created)
    writer.put(optionalInstant: token.expiry)
    writer.put(optionalInstant: token.revoked)
    writer.put(optionalInstant: token.lastUse)
  }
}
