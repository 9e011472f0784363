/// A catalog to begin with: a reminder on a calendar and one before an appointment, with comments.
package struct StarterCatalog {
  package let text: String

  /// Returns nil unless the name consists of 1 to 64 letters, digits, hyphens and underscores.
  package init?(name: String) {
    let signs = "-_0123456789"
    let isName = name.allSatisfy { $0.isASCII && ($0.isLetter || signs.contains($0)) }
    guard isName, (1...64).contains(name.utf8.count) else { return nil }
    text = Self.template.replacing("NAME", with: name)
  }

  private static let template = """
    # yaml-language-server: $schema=/usr/share/chimed/schemas/catalog.json
    #
    # The catalog NAME; see chimed-catalog(5). Replace the examples by your own, then run
    #   chimectl catalog check NAME.yaml
    # and, for the notifications of a file of events,
    #   chimed simulate --catalog ./NAME.yaml --until 2027-01-31T00:00:00Z EVENTS.ndjson
    catalog: NAME

    # The events that the app reports, each with its fields. Reports with the same identifier are
    # about the same thing, and the latest one counts. A field whose kind ends in "?" is optional.
    # "from: recipient" marks an act of the recipient, which their own token may report.
    events:
      water.logged: {from: recipient}
      appointment.booked: {appointment: identifier, at: instant, place: text?}
      appointment.cancelled: {appointment: identifier}

    # Classes of notifications. Each has its channels, and whether they are on by default.
    categories:
      HEALTH: {title: Health, urgency: normal, channels: {push: true, inapp: true}}
      APPOINTMENTS: {title: Appointments, urgency: high, channels: {push: true, inapp: true}}

    # Recipients' settings. "enabled" is the switch of a group; every other name is a parameter,
    # which a reminder uses as $name. Times have quotation marks.
    groups:
      water: {enabled: true, time: "10:30", days: [mon, tue, wed, thu, fri]}
      appointments: {enabled: true, advance: [24, 2]}

    reminders:
      # On the recipient's days at their local time, unless they have logged a glass on that date.
      glass-of-water:
        category: HEALTH
        group: water
        every: {week: {on: $days, at: $time}}
        unless: water.logged
        # How long after its time an occurrence may still be sent: 30m, 2h or 1d.
        expires: 2h
        # Each occurrence has one of these messages, never the same twice in a row. A text with a
        # colon, or a sign such as { or * at its beginning, needs quotation marks.
        messages:
          - title: A glass of water
            body: Your body asks for it.
            locales:
              de:
                title: Ein Glas Wasser
                body: Dein Körper wartet darauf.
          - title: Drink something
            body: A glass of water would do.
            locales:
              de:
                title: Trink etwas
                body: Ein Glas Wasser genügt.

      # Hours before the instant in the field "at", unless the appointment is cancelled.
      appointment-ahead:
        category: APPOINTMENTS
        group: appointments
        before: {event: appointment.booked, at: at, by: $advance}
        cancel: appointment.cancelled
        expires: 1h
        messages:
          - title: "Your appointment {{until}}"
            body: "You are expected at {{at.time}}{{#place}}, {{place}}{{/place}}."
            locales:
              de:
                title: "Dein Termin {{until}}"
                body: "Du wirst um {{at.time}} erwartet{{#place}}, {{place}}{{/place}}."

    """
}
