import Reminders
import Testing

/// A valid catalog into which tests insert faults.
enum ValidCatalog {
  static let text = """
    catalog: notes
    categories:
      NOTE: {title: Notes, urgency: normal, channels: {push: true}}
    groups:
      notes: {enabled: true, time: "12:00", days: [mon, tue], count: 3}
    reminders:
      note:
        category: NOTE
        group: notes
        every: {day: {at: $time}}
        expires: 12h
        messages: [{title: Note, body: A note.}]
    """
  static let every = "every: {day: {at: $time}}"

  /// Expects the diagnostics of the catalog in which a fault replaces a part of the text. The name
  /// of the file is added to the diagnostics.
  static func expect(
    _ validPart: String, _ fault: String, _ diagnostics: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let text = text.replacing(validPart, with: fault)
    expect(text, "test.yaml:" + diagnostics, sourceLocation: sourceLocation)
  }

  /// Expects that a catalog is rejected with exactly these diagnostics.
  static func expect(
    _ text: String, _ diagnostics: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(throws: CatalogErrors.self, sourceLocation: sourceLocation) {
      try Fixtures.read(text)
    }
    #expect(error?.description == diagnostics, sourceLocation: sourceLocation)
  }
}
