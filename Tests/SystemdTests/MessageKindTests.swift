import Systemd
import Testing

@Suite struct MessageKindTests {
  @Test func `message ids are distinct numbers of 128 bits`() {
    for kind in MessageKind.allCases {
      let digits = kind.id.utf8
      #expect(digits.count == 32, "\(kind)")
      #expect(digits.allSatisfy { "0123456789abcdef".utf8.contains($0) }, "\(kind)")
    }
    #expect(Set(MessageKind.allCases.map(\.id)).count == MessageKind.allCases.count)
  }

  @Test func `the catalog has one entry for each message kind`() throws {
    let catalog = try MessageCatalog.shipped()
    #expect(catalog.entries.map(\.id).sorted() == MessageKind.allCases.map(\.id).sorted())
  }

  @Test func `every entry has its headers and a text`() throws {
    for entry in try MessageCatalog.shipped().entries {
      #expect(entry.headers.map(\.name).sorted() == ["Defined-By", "Subject"], "\(entry.id)")
      #expect(entry.values(of: "Defined-By") == ["chimed"], "\(entry.id)")
      #expect(entry.values(of: "Subject").allSatisfy { !$0.isEmpty }, "\(entry.id)")
      #expect(entry.body.contains { !$0.isEmpty }, "\(entry.id)")
      #expect(entry.body.allSatisfy { $0.utf8.count <= 76 }, "\(entry.id)")
    }
  }

  /// journalctl shows the bare name of a field that an entry lacks.
  @Test func `an entry's text uses exactly the fields of its kind`() throws {
    for entry in try MessageCatalog.shipped().entries {
      let kind = try #require(
        MessageKind.allCases.first { $0.id == entry.id }, "\(entry.id) has no kind")
      let declared = Set(kind.fields.map(\.description))
      #expect(entry.fields == declared, "\(kind)")
    }
  }

  @Test func `the parser finds ids, fields and headers`() {
    let catalog = MessageCatalog(
      """
      # about
      -- 1
      Subject: @A@ is late
      Support: x

      For @B@,
      # not this @C@
      and more.
      -- 2
      Subject: y
      """)
    #expect(catalog.entries.map(\.id) == ["1", "2"])
    #expect(catalog.entries[0].fields == ["A", "B"])
    #expect(catalog.entries[0].headers.map(\.name) == ["Subject", "Support"])
    #expect(catalog.entries[1].values(of: "Subject") == ["y"])
  }
}
