import Reminders
import Testing

/// Invalid steps of `escalate` are reported.
@Suite struct EscalationDiagnosticsTests {
  private static let message = "messages: [{title: \"{{subject.name}}\", body: \"{{name}}\"}]"

  /// Reads a reminder with these steps, which follows planned doses.
  private func mistakes(_ steps: String, _ other: String = "cancel: taken") -> String {
    let text = Fixtures.catalog(
      events: "{planned: {dose: identifier, name: text, place: place?}, "
        + "taken: {dose: identifier, from: recipient}, app.opened: {from: recipient}}",
      reminders: [
        "dose": "on: {event: planned, delay: 1h}, escalate: \(steps), \(other), "
          + "messages: [{title: Note, body: A note.}]"
      ])
    do {
      _ = try Fixtures.read(text + "\nroles: [carer]\n")
      return ""
    } catch {
      return "\(error)"
    }
  }

  @Test func `G17: steps with channels and with a role are read`() {
    #expect(
      mistakes("[{after: 15m, channels: sms}, {after: 45m, to: carer, \(Self.message)}]") == "")
  }

  @Test(arguments: [
    ("[]", "\"escalate\" must be a list of 1 to 8 steps"),
    ("[{after: 15m}]", "a step needs \"channels\" or \"to\""),
    ("[{after: 8d, channels: sms}]", "\"after\" must be above 0, at most 7d"),
    (
      "[{after: 2h, channels: sms}, {after: 1h, channels: sms}]",
      "not before the previous step's"
    ),
    (
      "[{after: 1h, to: carrer, \(message)}]",
      "the role \"carrer\" is not declared; did you mean \"carer\"?"
    ),
    ("[{after: 1h, to: carer}]", "a step with \"to\" needs \"messages\""),
    ("[{after: 1h, channels: sms, \(message)}]", "\"messages\" in a step needs \"to\""),
    (
      "[{after: 1h, to: carer, messages: [{title: a, body: \"{{place}}\"}]}]",
      "{{place}}"
    ),
  ])
  func `G17: a wrong step is reported`(steps: String, mistake: String) {
    #expect(mistakes(steps).contains(mistake))
  }

  @Test func `G17: steps without an end, and actions that do not end them, are reported`() {
    let steps = "[{after: 15m, channels: sms}]"
    #expect(
      mistakes(steps, "channels: push").contains("\"escalate\" needs \"unless\" or \"cancel\""))
    let action = "actions: {a: {title: A, event: app.opened}}"
    #expect(
      mistakes(steps, "cancel: taken, \(action)")
        .contains("reports \"app.opened\", which does not end the steps"))
  }

  @Test func `G18: the roles of one catalog do not change the reminders of another`() throws {
    let visits = Fixtures.catalog(
      events: "{visit: {visit: identifier, at: instant, carer: recipient}}",
      reminders: ["ahead": "before: {event: visit, at: at, by: 1h}, to: carer"])
    let others = """
      catalog: others
      roles: [carer]
      categories: {OTHER: {title: Other, channels: {push: true}}}
      groups: {others: {enabled: true}}
      reminders:
        other: {category: OTHER, group: others, every: {day: {at: "10:00"}}, expires: 1h,
          messages: [{title: Other, body: Other.}]}
      """
    let sources = ["others.yaml": others, "visits.yaml": visits].sorted { $0.key < $1.key }
    let catalog = try Catalog(
      reading: sources.map { CatalogSource(file: $0.key, text: $0.value) })
    #expect(catalog.roles == ["carer"])
    let ahead = try #require(catalog.reminder(Symbol("ahead")))
    #expect(ahead.relay == nil)
  }
}
