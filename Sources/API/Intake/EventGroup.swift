import Access
import CivilTime
import Engine
import JSON
import Reminders

/// Events that are read together and handed in together, in one transaction of the service, among
/// those that could not be read.
struct EventGroup: Sendable {
  /// What an item is counted by, in the answer: the index in a batch, or the number of a line.
  let place: StaticString
  /// Whether it is one event by itself, not one of an array or a stream.
  var isSingle = false
  private let reader: EventReader
  private let reporter: EventReporter
  private let planner: Planner
  private let now: Instant
  private let refusals: RefusalCounts
  private var items: [Item] = []
  private var events: [Event] = []

  private struct Item: Sendable {
    var place: Int
    var identifier: String?
    /// Nil for one that could be read.
    var problem: Problem?
    /// Who reports it, as far as that can be told.
    var app: String?
  }

  /// - Parameters:
  ///   - reporter: who sends them.
  ///   - now: the instant of arrival.
  ///   - refusals: where those are counted that are not taken in.
  init(
    place: StaticString, planner: Planner, reporter: EventReporter, now: Instant,
    refusals: RefusalCounts
  ) {
    self.place = place
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
      items.append(Item(place: place, identifier: event.identifier, app: app(value)))
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
  func submit(to service: any ReminderService) async throws(ServiceUnavailable) -> [EventAnswer] {
    let receipts = try await receipts(from: service)
    tell(of: receipts)
    return answers(receipts)
  }

  /// The same for who has no task to wait in.
  ///
  /// - Parameter tell: called once, from whatever thread, with what `answers` makes the answers of.
  func submit(to service: any ReminderService, then tell: @escaping Answer<[Receipt]>) {
    if events.isEmpty { return tell(.success([])) }
    service.submit(events) { result in
      if case .success(let receipts) = result { self.tell(of: receipts) }
      tell(result)
    }
  }

  /// What became of every item, in order; to be asked for once.
  func answers(_ receipts: [Receipt]) -> [EventAnswer] {
    var receipts = receipts.makeIterator()
    return items.map { item in
      let result: EventAnswer.Result =
        if let problem = item.problem { .refused(problem) } else { .init(receipts.next()) }
      if case .refused(let problem) = result { refusals.count(problem, of: item.app) }
      return EventAnswer(place: item.place, identifier: item.identifier, result: result)
    }
  }

  /// Who was erased by it is told of, whichever way that was asked for (rule H5).
  private func tell(of receipts: [Receipt]) {
    for (event, receipt) in zip(events, receipts) where event.content.isErasure {
      if case .accepted = receipt { reporter.tell(ofErasing: event.recipient) }
    }
  }

  private func receipts(
    from service: any ReminderService
  ) async throws(ServiceUnavailable) -> [Receipt] {
    if events.isEmpty { return [] }
    return try await service.submit(events)
  }

  /// The id of something that is not an acceptable event, to tell the sender which one it is.
  private static func identifier(_ value: JSONValue) -> String? {
    guard let identifier = value["id"]?.stringValue, (1...256).contains(identifier.utf8.count)
    else { return nil }
    return identifier
  }
}
