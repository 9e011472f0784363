import Access
import Store
import TestSupport
import Testing

@testable import SQLiteStore

/// The key of links in notifications.
@Suite struct LinkKeyStorageTests {
  @Test func `the key is created once and differs between stores`() throws {
    let (one, other) = (try TemporaryDirectory(), try TemporaryDirectory())
    func token(_ directory: TemporaryDirectory) throws -> String? {
      let store = try SQLiteStore(directory: directory.path)
      defer { withExtendedLifetime(store) {} }
      return try store.linkKey().token(recipient: "amina", category: "NEWS")
    }
    let first = try token(one)
    #expect(first != nil)
    #expect(try token(one) == first)
    #expect(try token(other) != first)
  }
}
