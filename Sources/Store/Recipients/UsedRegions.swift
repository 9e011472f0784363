package import Reminders

/// Reads the regions whose holidays any recipient uses or has used. Only for these regions does the
/// service warn that the holiday data ends (rule T1).
extension StoreReader {
  package func usedRegions() throws -> Set<String> {
    Set((try note(usedRegionsNote) ?? "").split(separator: " ").map(String.init))
  }
}

extension StoreWriter {
  /// Records the region of a profile event.
  package func recordRegion(of event: Event) throws {
    guard case .profile(let changes) = event.content,
      let region = changes.last(where: { $0.field == .holidays })?.value?.uppercased()
    else { return }
    guard try !usedRegions().contains(region) else { return }
    try add(region, toNote: usedRegionsNote)
  }
}

private let usedRegionsNote = "holiday regions"
