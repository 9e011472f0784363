import CivilTime
import Reminders
import Testing

/// The urgency of a delivery.
@Suite struct DeliveryUrgencyTests {
  private func urgency(
    _ catalog: String, reminder: String = "note", category: String = "NOTE"
  ) throws -> Urgency {
    let noon = try utc("2026-03-02 12:00")
    let delivery = Delivery(
      instance: "store", notification: 1, row: 1, recipient: "amina", channel: .push,
      isSilent: false, planned: noon, at: noon, expiry: noon,
      message: Message(reminder: reminder, category: category, title: "Note", body: "A note."))
    return try Fixtures.read(catalog).urgency(of: delivery)
  }

  @Test func `a delivery has its category's urgency, by default normal`() throws {
    let catalog = Fixtures.noteCatalog(urgency: "critical")
    #expect(try urgency(catalog) == .critical)
    #expect(try urgency(catalog, reminder: "gone") == .critical)
    #expect(try urgency(catalog, reminder: "gone", category: "GONE") == .normal)
  }

  @Test func `the urgency of a reminder overrides its category's`() throws {
    let catalog = Fixtures.noteCatalog(urgency: "critical")
      .replacing("group: notes\n", with: "group: notes\n    urgency: low\n")
    #expect(try urgency(catalog) == .low)
  }
}
