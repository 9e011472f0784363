package import Reminders

/// The names of the zones that recipients have, or once had: only their loss concerns somebody
/// (rule T4).
extension StoreReader {
  package func usedZones() throws -> Set<String> {
    Set((try note(usedZonesNote) ?? "").split(separator: " ").map(String.init))
  }
}

extension StoreWriter {
  /// Keeps the zone that an event names, if it is one of a recipient's profile.
  package func keepZone(of event: Event) throws {
    guard case .profile(let changes) = event.content,
      let zone = changes.last(where: { $0.field == .timezone })?.value
    else { return }
    guard try !usedZones().contains(zone) else { return }
    try add(zone, toNote: usedZonesNote)
  }
}

private let usedZonesNote = "time zones"
