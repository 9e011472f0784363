import CivilTime
import Engine
import JSON
import Reminders
import Store
import TestSupport

/// The app's reports. The app repeats each event until it is acknowledged, as every app must.
extension Life {
  /// Adds the diary's events up to now to the unacknowledged events.
  func gather() {
    let events = diary.events[gatheredCount...].prefix { $0.time <= clocks.now }
    gatheredCount += events.count
    outgoing += events
    for event in events { work.eventCounts[event.recipient, default: 0] += 1 }
    for event in events where event.type == "recipient.deleted" {
      erasures[event.recipient] = event.time
    }
  }

  /// Submits some or all unacknowledged events.
  ///
  /// - Returns: whether any event was submitted.
  func report() -> Bool {
    guard !outgoing.isEmpty, !isReporting else { return false }
    isReporting = true
    var count = random.int(in: 1..<outgoing.count + 1)
    // Events with the same time are in one request, as in the simulation.
    while count < outgoing.count, outgoing[count].time == outgoing[count - 1].time { count += 1 }
    let events = outgoing.prefix(count).map(asReported)
    work.tasks += events.count
    post("submit") {
      .submit(events, $0)
    } then: { [unowned self] result in
      isReporting = false
      guard case .success(let receipts) = result else { return }
      outgoing.removeFirst(events.count)
      for (event, receipt) in zip(events, receipts) { note(receipt, of: event) }
    }
    return true
  }

  /// Returns the event as the app reports it. For events without a time, the service sets its
  /// current time.
  private func asReported(_ event: Event) -> Event {
    guard isUntimed(event), let clock = process?.loop.clock else { return event }
    reports[event.identifier, default: []].append(clocks.now)
    return Event(
      identifier: event.identifier, source: event.source, type: event.type,
      recipient: event.recipient, time: clock.now(), isTimeGiven: false, content: event.content,
      data: event.data)
  }

  /// Returns whether the app reports an event without a time. That happens only in runs in which a
  /// wrong clock is trusted. A change of settings always has a time, by which the run is checked.
  private func isUntimed(_ event: Event) -> Bool {
    guard script.hasTrustedLeaps, let number = Int(event.identifier), number % 2 == 0 else {
      return false
    }
    switch event.content {
    case .happening, .report: return true
    default: return false
    }
  }

  private func note(_ receipt: Receipt, of event: Event) {
    tally.events += 1
    switch receipt {
    case .accepted, .duplicate: acknowledged[event.identifier] = event
    case .refused(let refusal):
      addFinding("\(event.type) \(event.identifier) is refused: \(refusal)")
    case .elsewhere: addFinding("\(event.type) \(event.identifier) is answered as another node's")
    }
  }

  // MARK: - Misuse by the app

  /// Repeats some events (rule E1).
  func repeatSome() {
    let events = (0..<3).compactMap { _ in recentEvents.isEmpty ? nil : pickAcknowledged() }
    expect(events) { $0.isDuplicate }
  }

  /// Uses an event's identity for another event (rules E1, E5).
  func reuseIdentity() throws {
    guard !recentEvents.isEmpty else { return }
    let event = pickAcknowledged()
    guard erasures[event.recipient] == nil else { return }
    let type = event.type == "relapse" ? "streak.started" : "relapse"
    let other = try Diary.event(
      event.identifier, type, of: event.recipient, at: event.time, [:], diary.planner)
    expect([other]) { $0.isRefused }
  }

  /// Reports an event from before an erasure (rule H4).
  func reportErased() throws {
    guard let (name, time) = erasures.min(by: { $0.key < $1.key }), outgoing.isEmpty else { return }
    let event = try Diary.event(
      "late \(tally.events) \(random.next())", "relapse", of: name, at: time - .hours(1), [:],
      diary.planner)
    expect([event]) { $0.isRefused }
  }

  /// Submits events, and checks the receipt of each.
  private func expect(_ events: [Event], _ isRight: @escaping (Receipt) -> Bool) {
    guard !events.isEmpty else { return }
    post("submit again") {
      .submit(events, $0)
    } then: { [unowned self] result in
      guard case .success(let receipts) = result else { return }
      for (event, receipt) in zip(events, receipts) where !isRight(receipt) {
        addFinding("\(event.type) \(event.identifier) of \(event.recipient) is answered \(receipt)")
      }
    }
  }

  /// The acknowledged events that are too recent to be pruned, so that the service must know them.
  private var recentEvents: [Event] {
    acknowledged.values.filter { !mayBeGone(.events, of: $0.time) }
  }

  /// Returns a random acknowledged event. The identifiers are sorted, because a dictionary's order
  /// differs in each run.
  private func pickAcknowledged() -> Event {
    let identifiers = recentEvents.map(\.identifier).sorted()
    return acknowledged[random.pick(identifiers)] ?? diary.events[0]
  }
}

extension Receipt {
  fileprivate var isDuplicate: Bool { if case .duplicate = self { true } else { false } }
  fileprivate var isRefused: Bool { if case .refused = self { true } else { false } }
}
