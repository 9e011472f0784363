import Reminders

extension Refusal {
  /// Converts the refusal of an event that the service made from the body of a request. The path of
  /// the result names the body's member; it is empty if the request has no body.
  ///
  /// - Parameter root: the member of the body that became the event's data; empty for the whole
  ///   body; nil for a request without a body.
  func inBody(under root: String? = "") -> Refusal {
    let prefix = "data."
    guard path.hasPrefix(prefix) else { return self }
    guard let root else { return Refusal(kind, path: "", reason) }
    let member = String(path.dropFirst(prefix.count))
    return Refusal(kind, path: root.isEmpty ? member : "\(root).\(member)", reason)
  }
}

extension Recipient {
  /// Throws a refusal if this recipient cannot accept the events that the service made from the
  /// body of a request.
  ///
  /// - Parameter root: as for `Refusal.inBody`.
  func check(
    _ events: [Event], madeFrom root: String?, planner: Planner
  ) throws(Refusal) {
    do { try check(events, planner: planner) } catch { throw error.inBody(under: root) }
  }
}
