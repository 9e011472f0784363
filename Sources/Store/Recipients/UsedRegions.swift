package import Reminders

/// The regions whose holidays somebody goes by, or once did: whether they come to an end is of no
/// interest for the others (rule T1).
extension StoreReader {
  package func usedRegions() throws -> Set<String> {
    Set((try note(usedRegionsNote) ?? "").split(separator: " ").map(String.init))
  }
}

extension StoreWriter {
  /// Keeps the region that an event names, if it is one of a recipient's profile.
  package func keepRegion(of event: Event) throws {
    guard case .profile(let changes) = event.content,
      let region = changes.last(where: { $0.field == .holidays })?.value?.uppercased()
    else { return }
    guard try !usedRegions().contains(region) else { return }
    try add(region, toNote: usedRegionsNote)
  }
}

private let usedRegionsNote = "holiday regions"
