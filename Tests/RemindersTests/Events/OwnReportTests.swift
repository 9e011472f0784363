import Reminders
import Testing

/// Events that a catalog marks `from: recipient` (rule E7).
@Suite struct OwnReportTests {
  private static func catalog(_ events: String) throws -> Catalog {
    try Fixtures.read(
      "catalog: a\nevents: {\(events)}\n"
        + "categories: {A: {title: A, channels: {push: true}}}\nreminders: {}\n")
  }

  @Test func `E7: the mark "from: recipient" is not a field`() throws {
    let catalog = try Self.catalog(
      "walk.logged: {from: recipient}, note.added: {note: identifier, from: recipient}, "
        + "room.renamed: {from: text}, rain.announced: {}")
    let walk = try #require(catalog.event("walk.logged"))
    #expect(walk.isOwnReport && walk.shape == .happening(nil))
    let note = try #require(catalog.event("note.added"))
    #expect(note.isOwnReport && note.fields.map(\.name) == ["note"])
    let renamed = try #require(catalog.event("room.renamed"))
    #expect(!renamed.isOwnReport && renamed.fields.map(\.name) == ["from"])
    #expect(catalog.event("rain.announced")?.isOwnReport == false)
  }

  @Test func `E7: two catalogs must mark a shared event alike`() {
    let sources = ["{from: recipient}", "{}"].map { fields in
      CatalogSource(
        file: fields,
        text: "catalog: a\nevents: {walk.logged: \(fields)}\n"
          + "categories: {A: {title: A, channels: {push: true}}}\nreminders: {}\n")
    }
    let errors = #expect(throws: CatalogErrors.self) { try Catalog(reading: sources) }
    #expect(errors.map { "\($0)".contains("mark") } == true)
  }
}
