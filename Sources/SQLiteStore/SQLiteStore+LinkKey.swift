package import Access
import GRDB
package import Store

extension SQLiteStore {
  /// The name of the note (a row of `meta`) that contains the key of links.
  static let linkKeyName = "link key"

  /// Returns a random key in hexadecimal. A new store stores it once, so that links in e-mails stay
  /// valid as long as the store exists, even after a restore.
  static func newLinkKey() -> String {
    let bytes = (0..<LinkKey.byteCount).map { _ in UInt8.random(in: 0 ... .max) }
    return bytes.map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined()
  }

  /// The key of links in notifications.
  package func linkKey() throws(StoreError) -> LinkKey {
    let text = try withConnection { try Notes.text(Self.linkKeyName, in: $0) }
    return LinkKey(Self.bytes(of: text ?? ""))
  }

  private static func bytes(of text: String) -> [UInt8] {
    let digits = Array(text)
    return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
      UInt8(String(digits[$0...($0 + 1)]), radix: 16)
    }
  }
}
