import Access
import CivilTime
import Engine
import JSON
import Reminders

/// Events that are read together and handed in together, in one transaction of the service, among
/// those that could not be read.
struct EventGroup: Sendable {
  /// Whether it is one event by itself, not one of an array or a stream.
  var isSingle = false
  private let reader: EventReader
  private let reporter: EventReporter
  private let planner: Planner
  private let now: Instant
  private let refusals: RefusalCounts
  private var items: [Item] = []
  private var events: [Event] = []
  /// As the events were read, where they may have to be handed on.
  private var documents: [JSONValue]?

  private struct Item: Sendable {
    /// The index in a batch, or the number of a line.
    var place: Int
    var identifier: String?
    /// Nil for one that could be read.
    var problem: Problem?
    /// Who reports it, as far as that can be told.
    var app: String?
    var warnings: [String] = []
  }

  /// - Parameters:
  ///   - reporter: who sends them.
  ///   - now: the instant of arrival.
  ///   - refusals: where those are counted that are not taken in.
  ///   - mayTravel: whether some of them may be another node's.
  init(
    planner: Planner, reporter: EventReporter, now: Instant, refusals: RefusalCounts,
    mayTravel: Bool
  ) {
    documents = mayTravel ? [] : nil
    self.reporter = reporter
    self.planner = planner
    self.now = now
    self.refusals = refusals
    reader = EventReader(planner: planner, namespace: reporter.scope.sourceNamespace)
  }

  var isEmpty: Bool { items.isEmpty }
  var count: Int { items.count }

  mutating func add(_ value: JSONValue, at place: Int) {
    do {
      let event = try reader.event(value, now: now)
      if let problem = reporter.scope.problem(with: event, in: planner.catalog) {
        return add(problem, at: place, identifier: event.identifier, of: app(value))
      }
      events.append(event)
      documents?.append(value)
      items.append(
        Item(
          place: place, identifier: event.identifier, app: app(value),
          warnings: event.warnings(at: now)))
    } catch {
      add(Problem(error), at: place, identifier: Self.identifier(value), of: app(value))
    }
  }

  mutating func add(
    _ problem: Problem, at place: Int, identifier: String? = nil, of app: String? = nil
  ) {
    items.append(Item(place: place, identifier: identifier, problem: problem, app: app))
  }

  /// The source that an app gives itself. What people's own tokens report is one app's: no number
  /// is to name a person.
  private func app(_ value: JSONValue) -> String? {
    reporter.scope.recipient == nil ? value["source"]?.stringValue : RefusalCounts.people
  }

  /// Hands in the events that could be read; returns what became of every item, in order, when it
  /// is on disk.
  func submit(to intake: EventIntake) async throws(ServiceUnavailable) -> [EventAnswer] {
    answers(try await results(from: intake))
  }

  /// The same for who has no task to wait in.
  ///
  /// - Parameter tell: called once, from whatever thread, with what `answers` makes the answers of.
  func submit(to intake: EventIntake, then tell: @escaping Answer<[EventAnswer.Result]>) {
    if events.isEmpty { return tell(.success([])) }
    if intake.others != nil {
      Task { [self] in
        do throws(ServiceUnavailable) {
          tell(.success(try await results(from: intake)))
        } catch {
          tell(.failure(error))
        }
      }
      return
    }
    intake.service.submit(events) { answer in tell(answer.map { results(events, $0) }) }
  }

  /// What became of every item, in order; to be asked for once.
  ///
  /// - Parameter results: of the events that were handed in.
  func answers(_ results: [EventAnswer.Result]) -> [EventAnswer] {
    var results = results.makeIterator()
    return items.map { item in
      let result = item.problem.map { .refused($0) } ?? results.next() ?? .init(nil)
      if case .refused(let problem) = result { refusals.count(problem, of: item.app) }
      return EventAnswer(
        place: item.place, identifier: item.identifier, result: result, warnings: item.warnings)
    }
  }

  /// Who was erased by it is told of, whichever way that was asked for (rule H5).
  private func tell(of receipts: [Receipt], for events: [Event]) {
    for (event, receipt) in zip(events, receipts) where event.content.isErasure {
      if case .accepted = receipt { reporter.tell(ofErasing: event.recipient) }
    }
  }

  private func results(_ events: [Event], _ receipts: [Receipt]) -> [EventAnswer.Result] {
    tell(of: receipts, for: events)
    return receipts.map { EventAnswer.Result($0) }
  }

  /// The id of something that is not an acceptable event, to tell the sender which one it is.
  private static func identifier(_ value: JSONValue) -> String? {
    guard let identifier = value["id"]?.stringValue, (1...256).contains(identifier.utf8.count)
    else { return nil }
    return identifier
  }
}

extension EventGroup {
  /// What became of the events, in order, wherever they were handed in.
  private func results(
    from intake: EventIntake
  ) async throws(ServiceUnavailable) -> [EventAnswer.Result] {
    if events.isEmpty { return [] }
    if let others = intake.others, let documents {
      let division = others.division(of: events)
      if !division.parts.isEmpty {
        return await results(division, documents, at: others, and: intake.service)
      }
    }
    return results(events, try await intake.service.submit(events))
  }

  /// The parts go side by side; none waits for another, or fails with it.
  private func results(
    _ division: EventDivision, _ documents: [JSONValue], at others: EventForwarding,
    and service: any ReminderService
  ) async -> [EventAnswer.Result] {
    var division = division
    await withTaskGroup(of: (places: [Int], results: [EventAnswer.Result]).self) { tasks in
      for part in division.parts {
        let documents = part.places.map { documents[$0] }
        tasks.addTask {
          let results = await others.results(
            of: documents, at: part.peer, for: reporter.caller, arrival: now)
          return (part.places, results)
        }
      }
      let own = division.own
      if !own.isEmpty { tasks.addTask { (own, await results(at: own, from: service)) } }
      for await (places, results) in tasks { division.note(results, at: places) }
    }
    return division.results
  }

  private func results(
    at places: [Int], from service: any ReminderService
  ) async -> [EventAnswer.Result] {
    let events = places.map { self.events[$0] }
    do throws(ServiceUnavailable) {
      return results(events, try await service.submit(events))
    } catch {
      return places.map { _ in .refused(Problem(error)) }
    }
  }
}
