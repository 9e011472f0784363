import Access
import Reminders

extension AccessScope {
  /// Refuses events that whoever has this scope may not report (rule E7).
  func check(_ events: [Event], in catalog: Catalog) throws(Problem) {
    for event in events {
      if let problem = problem(with: event, in: catalog) { throw problem }
    }
  }

  /// Why an event is not theirs to report; nil where it is.
  func problem(with event: Event, in catalog: Catalog) -> Problem? {
    if self == .administrator { return nil }
    guard covers(event.recipient) else { return .foreignEvent }
    if self == .support { return event.content.isErasure ? .erasureByEvent : nil }
    guard let refusal = catalog.refusalOfOwnReport(event) else {
      return nil
    }
    return Problem(.foreignEvent, refusal.description, path: refusal.path)
  }
}

extension Event.Content {
  var isErasure: Bool {
    if case .erasure = self { true } else { false }
  }
}
