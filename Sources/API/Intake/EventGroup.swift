import Access
import CivilTime
import Engine
import JSON
import Reminders

/// Events that are submitted together, and events that were rejected while they were read.
struct EventGroup: Sendable {
  /// Whether the group is a single event, not an array or part of a stream.
  var isSingle = false
  private let reader: EventReader
  private let reporter: EventReporter
  private let planner: Planner
  private let now: Instant
  private let refusals: RefusalCounts
  /// The submitted and the rejected events, in the order of the body.
  private var items: [Item] = []
  /// The events to submit.
  private(set) var events: [Event] = []
  /// The JSON of the events; nil unless some may be forwarded.
  private var documents: [JSONValue]?

  private struct Item: Sendable {
    /// The index in a batch, or the number of a line.
    var position: Int
    /// The event's id; nil if it is not readable.
    var identifier: String?
    /// Why the event was rejected before it could be submitted; nil if it is submitted.
    var problem: Problem?
    /// The app that reports the event; nil if the event has no readable source.
    var app: String?
    /// Probable mistakes in the event.
    var warnings: [String] = []
  }

  /// - Parameters:
  ///   - reporter: the caller that sends the events.
  ///   - now: the time of arrival.
  ///   - refusals: counts the rejected events.
  ///   - mayBeForwarded: whether another node may own the recipients of some events.
  init(
    planner: Planner, reporter: EventReporter, now: Instant, refusals: RefusalCounts,
    mayBeForwarded: Bool
  ) {
    documents = mayBeForwarded ? [] : nil
    self.reporter = reporter
    self.planner = planner
    self.now = now
    self.refusals = refusals
    reader = EventReader(planner: planner, namespace: reporter.scope.sourceNamespace)
  }

  var isEmpty: Bool { items.isEmpty }
  var count: Int { items.count }
  /// Why the first rejected event was rejected; nil if none was.
  var firstProblem: Problem? { items.lazy.compactMap(\.problem).first }

  /// Reads an event and adds it, or adds the reason why it is rejected.
  mutating func add(_ value: JSONValue, at position: Int) {
    do {
      add(try reader.event(value, now: now), value, at: position)
    } catch {
      add(Problem(error), at: position, identifier: Self.identifier(value), of: app(value))
    }
  }

  /// Adds an event that was read from JSON, unless the caller may not report it.
  mutating func add(_ event: Event, _ value: JSONValue, at position: Int) {
    if let problem = reporter.scope.problem(with: event, in: planner.catalog) {
      return add(problem, at: position, identifier: event.identifier, of: app(value))
    }
    events.append(event)
    documents?.append(value)
    items.append(
      Item(
        position: position, identifier: event.identifier, app: app(value),
        warnings: event.warnings(at: now, in: planner.catalog)))
  }

  mutating func add(
    _ problem: Problem, at position: Int, identifier: String? = nil, of app: String? = nil
  ) {
    items.append(Item(position: position, identifier: identifier, problem: problem, app: app))
  }

  /// The event's source, which identifies the app. Events from recipients' own tokens count as one
  /// app, so metrics name no recipient.
  private func app(_ value: JSONValue) -> String? {
    reporter.scope.recipient == nil ? value["source"]?.stringValue : RefusalCounts.recipientsLabel
  }

  /// Submits the valid events; returns the results of all items, in order, once the accepted events
  /// are durable.
  func submit(to intake: EventIntake) async throws(ServiceUnavailable) -> [EventAnswer] {
    answers(try await results(from: intake))
  }

  /// Submits the valid events, for callers without a task.
  ///
  /// - Parameter answer: called once, on any thread, with the results to pass to `answers`.
  func submit(to intake: EventIntake, then answer: @escaping Answer<[EventAnswer.Result]>) {
    if events.isEmpty { return answer(.success([])) }
    if intake.forwarding != nil {
      Task { [self] in
        do throws(ServiceUnavailable) {
          answer(.success(try await results(from: intake)))
        } catch {
          answer(.failure(error))
        }
      }
      return
    }
    intake.service.submit(events) { receipts in
      answer(receipts.map { results(for: events, $0) })
    }
  }

  /// Returns the results of all items, in order, and counts the rejected events. Call it only once.
  ///
  /// - Parameter results: the results of the submitted events.
  func answers(_ results: [EventAnswer.Result]) -> [EventAnswer] {
    var results = results.makeIterator()
    return items.map { item in
      let result = item.problem.map { .refused($0) } ?? results.next() ?? .init(nil)
      if case .refused(let problem) = result { refusals.count(problem, of: item.app) }
      return EventAnswer(
        position: item.position, identifier: item.identifier, result: result,
        warnings: item.warnings)
    }
  }

  /// Records accepted erasures in the audit log, like erasures by any other request (rule H5).
  private func auditErasures(in receipts: [Receipt], for events: [Event]) {
    for (event, receipt) in zip(events, receipts) where event.content.isErasure {
      if case .accepted = receipt { reporter.auditErasure(of: event.recipient) }
    }
  }

  private func results(for events: [Event], _ receipts: [Receipt]) -> [EventAnswer.Result] {
    auditErasures(in: receipts, for: events)
    return receipts.map { EventAnswer.Result($0) }
  }

  /// The id of a rejected event, so that the sender can find the event.
  private static func identifier(_ value: JSONValue) -> String? {
    guard let identifier = value["id"]?.stringValue, (1...256).contains(identifier.utf8.count)
    else { return nil }
    return identifier
  }
}

extension EventGroup {
  /// Submits the valid events to this node and others; returns their results, in order.
  private func results(
    from intake: EventIntake
  ) async throws(ServiceUnavailable) -> [EventAnswer.Result] {
    if events.isEmpty { return [] }
    if let forwarding = intake.forwarding, let documents {
      let division = forwarding.division(of: events)
      if !division.parts.isEmpty {
        return await results(division, documents, by: forwarding, and: intake.service)
      }
    }
    return results(for: events, try await intake.service.submit(events))
  }

  /// Submits the parts of a division concurrently. A part that is slow or fails does not affect the
  /// others.
  private func results(
    _ division: EventDivision, _ documents: [JSONValue], by forwarding: EventForwarding,
    and service: any ReminderService
  ) async -> [EventAnswer.Result] {
    var division = division
    await withTaskGroup(of: (indices: [Int], results: [EventAnswer.Result]).self) { tasks in
      for part in division.parts {
        let documents = part.indices.map { documents[$0] }
        tasks.addTask {
          let results = await forwarding.results(
            of: documents, at: part.peer, for: reporter.caller, arrival: now)
          return (part.indices, results)
        }
      }
      let ownIndices = division.ownIndices
      if !ownIndices.isEmpty {
        tasks.addTask { (ownIndices, await results(at: ownIndices, from: service)) }
      }
      for await (indices, results) in tasks { division.store(results, at: indices) }
    }
    return division.results
  }

  private func results(
    at indices: [Int], from service: any ReminderService
  ) async -> [EventAnswer.Result] {
    let events = indices.map { self.events[$0] }
    do throws(ServiceUnavailable) {
      return results(for: events, try await service.submit(events))
    } catch {
      return indices.map { _ in .refused(Problem(error)) }
    }
  }
}
