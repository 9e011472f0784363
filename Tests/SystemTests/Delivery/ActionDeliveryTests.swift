import JSON
import Testing

/// The links by which a recipient answers a notification, from its event to the answer's effect.
@OwnThread @Suite struct ActionDeliveryTests {
  private static let catalog = """
    catalog: care
    events:
      dose.taken: {from: recipient}
    categories:
      NOTE:
        title: Notes
        channels: {push: true, inapp: true}
        actions:
          taken: {title: Taken, event: dose.taken}
          stop: {title: Stop, set: {reminders.notes.enabled: false}}
    groups:
      notes: {enabled: true}
    reminders:
      note:
        category: NOTE
        group: notes
        on: {event: relapse, delay: 1s}
        expires: 12h
        messages: [{title: Note, body: A note.}]
    """

  @Test func `H28: the links of a delivery answer its notification once`() throws {
    let stage = try DeliveryStage(
      ["lines": "{type: jsonl, file: \"-\"}"], routes: "{push: lines}",
      others: ["public-url: https://notify.example.org"], catalog: Self.catalog)
    let service = try stage.start()
    try service.report(Report.note("one", by: #""push""#))
    let details = try service.deliveries(1)[0]["details"]
    let paths = (details?["actions"]?.arrayValue ?? []).compactMap {
      $0["url"]?.stringValue?.trimmingPrefix("https://notify.example.org")
    }
    #expect(paths.count == 2 && paths.allSatisfy { $0.hasPrefix("/a/") })
    #expect(details?["answerUrl"]?.stringValue?.hasPrefix("https://notify.example.org/a/") == true)

    for path in paths { #expect(try service.ask("GET", String(path)).status == 200) }
    for path in paths {
      for status in [200, 409] {
        #expect(try service.ask("POST", String(path)).status == status)
      }
    }
    let export = try service.ask("GET", "/v1/recipients/r1/export").body
    let types = (export["events"]?.arrayValue ?? []).compactMap { $0["type"]?.stringValue }
    let expectedTypes: Set = [
      "notification.requested", "notification.opened", "dose.taken", "preferences.updated",
    ]
    #expect(Set(types) == expectedTypes)
    let preferences = try service.ask("GET", "/v1/recipients/r1/preferences").body
    #expect(preferences["reminders"]?["notes"]?["enabled"] == false)
    #expect(try service.ask("POST", "/a/forged").status == 404)
    #expect(try service.stop() == .exited(0))
  }
}
