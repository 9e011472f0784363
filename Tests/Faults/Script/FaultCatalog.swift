import CivilTime
import Foundation
import Reminders

/// The catalogs of a simulation: the shipped `imanpath`, and a catalog with the inbox, a second
/// channel, bookings that can be cancelled, and smart timing.
enum FaultCatalog {
  static func planner() throws -> Planner {
    let path = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../config/catalogs/imanpath.yaml").standardized.path
    let zones = try ZoneDatabase(generation: 1)
    let catalog = try Catalog(reading: [
      CatalogSource(file: path, text: try String(contentsOfFile: path, encoding: .utf8)),
      CatalogSource(file: "visits.yaml", text: visits),
    ])
    return Planner(catalog: catalog, zones: zones, defaultZone: try zones.zone(named: "UTC"))
  }

  private static let visits = """
    catalog: visits
    events:
      visit.booked: {visit: identifier, at: instant, who: text}
      visit.cancelled: {visit: identifier}
    categories:
      NOTE: {title: Notes, urgency: normal, channels: {push: true, inapp: true}}
      VISIT: {title: Visits, urgency: high, channels: {push: true, email: true}}
      ASKED: {title: Asked for, urgency: normal, channels: {push: true, inapp: true}}
    groups:
      notes: {enabled: true, time: "12:00"}
      visits: {enabled: true, advance: [24, 2]}
    reminders:
      note:
        category: NOTE
        group: notes
        every: {day: {at: $time}}
        smart: true
        expires: 12h
        messages:
          - {title: Note, body: A note.}
          - {title: Note, body: Another note.}
          - {title: Note, body: A third note.}
      visit-reminder:
        category: VISIT
        group: visits
        before: {event: visit.booked, at: at, by: $advance}
        cancel: visit.cancelled
        expires: 2h
        messages: [{title: Visit, body: "{{who}} at {{at.time}}"}]
    """
}
