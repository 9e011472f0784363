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

  /// Expects the diagnostics of the catalog with one text replaced by another.
  static func expect(
    _ right: String, _ wrong: String, _ diagnostics: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let text = text.replacing(right, with: wrong)
    expect(text, "test.yaml:" + diagnostics, sourceLocation: sourceLocation)
  }

  static func expect(
    _ text: String, _ diagnostics: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(throws: CatalogErrors.self, sourceLocation: sourceLocation) {
      try Fixtures.read(text)
    }
    #expect(error?.description == diagnostics, sourceLocation: sourceLocation)
  }
}
