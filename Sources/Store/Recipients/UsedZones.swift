import CivilTime
package import Reminders

extension StoreReader {
  /// Returns whether every zone that was ever reported for a recipient is among the names and
  /// satisfies the condition. The condition is evaluated only for reported names.
  package func areReportedZones(
    among names: some Sequence<String>, where isUsable: (String) -> Bool
  ) throws -> Bool {
    let reported = Set((try note(usedZonesNote) ?? "").split(separator: " ").map(String.init))
    let usable = names.map { ($0, zoneCode($0)) }.filter { reported.contains($1) && isUsable($0) }
    return reported.isSubset(of: usable.map(\.1))
  }
}

extension StoreWriter {
  /// Records the zone of a profile event.
  package func recordZone(of event: Event) throws {
    guard case .profile(let changes) = event.content,
      let zone = changes.last(where: { $0.field == .timezone })?.value
    else { return }
    let code = zoneCode(zone)
    let reportedCodes = (try note(usedZonesNote) ?? "").split(separator: " ")
    guard !reportedCodes.contains(where: { $0 == code }) else { return }
    try add(code, toNote: usedZonesNote)
  }
}

private let usedZonesNote = "time zones"

/// Returns the hash of a zone's name. Hashes are stored because a rare name would be a trace of an
/// erased recipient (rule H4).
private func zoneCode(_ name: String) -> String { String(stableHash(name), radix: 36) }
