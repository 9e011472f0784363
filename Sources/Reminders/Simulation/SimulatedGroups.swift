import CivilTime

/// The groups of recipients who get messages about each other (rule G17). Recipients of different
/// groups do not influence each other.
struct SimulatedGroups {
  /// The indices of the recipients of each group.
  private(set) var groups: [[Int]] = []
  /// The indices of the recipients of all groups.
  private(set) var members: Set<Int> = []
  /// The indices of the recipients by name.
  private let indices: [ExactText: Int]
  /// The order of arrival of the next message.
  private var order: Int64

  /// - Parameters:
  ///   - names: the names of all recipients.
  ///   - events: all events, with their copies.
  init(_ names: [String], _ events: [SimulatedRecipient.StampedEvent], _ catalog: Catalog) {
    order = (events.map(\.order).max() ?? 0) + 1
    guard catalog.hasRelays else {
      indices = [:]
      return
    }
    indices = Dictionary(
      names.enumerated().map { (ExactText($1), $0) }, uniquingKeysWith: { first, _ in first })
    // Each group is identified by one of its members, its leader. An entry leads from a member
    // towards the leader.
    var leaders: [Int: Int] = [:]
    func leader(_ index: Int) -> Int {
      var index = index
      while let next = leaders[index], next != index { index = next }
      return index
    }
    for event in events.lazy.map(\.event) {
      guard case .relation(let change) = event.content,
        let one = indices[ExactText(event.recipient)], let other = indices[ExactText(change.person)]
      else { continue }
      leaders[one] = leaders[one] ?? one
      leaders[leader(other)] = leader(one)
    }
    members = Set(leaders.keys)
    groups = Dictionary(grouping: members.sorted(), by: leader).values.sorted { $0[0] < $1[0] }
  }

  /// Simulates the groups through all instants before `end`, in the order of time, so that each
  /// message arrives before its recipient's next instant.
  mutating func run(
    _ recipients: inout [SimulatedRecipient], to end: Instant, planner: Planner
  ) -> [TimelineEntry] {
    var entries: [TimelineEntry] = []
    for group in groups {
      while let (index, time) = next(of: group, in: recipients), time < end {
        recipients[index].run(to: time + .milliseconds(1), planner: planner, entries: &entries)
        if recipients[index].unfinished != nil { return entries }
        for event in recipients[index].takeMessages() {
          deliver(event, at: time, to: &recipients)
        }
      }
    }
    return entries
  }

  private func next(
    of group: [Int], in recipients: [SimulatedRecipient]
  ) -> (index: Int, time: Instant)? {
    var next: (index: Int, time: Instant)?
    for index in group {
      guard let time = recipients[index].nextTime else { continue }
      if next.map({ time < $0.time }) ?? true { next = (index, time) }
    }
    return next
  }

  private mutating func deliver(
    _ event: Event, at instant: Instant, to recipients: inout [SimulatedRecipient]
  ) {
    guard let index = indices[ExactText(event.recipient)] else { return }
    recipients[index].insert(
      SimulatedRecipient.StampedEvent(event: event, order: order, arrival: instant))
    order += 1
  }
}
