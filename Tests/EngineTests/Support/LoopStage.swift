import CivilTime
import GRDB
import JSON
import Outbox
import Reminders
import SQLiteStore
import Store
import Synchronization
import Systemd
import TestSupport
import Testing

@testable import Engine

/// The whole engine with its loop on a virtual host. Planned actions happen while the loop sleeps,
/// and the sink gives a configured reply.
final class LoopStage: EngineActions {
  let host: VirtualHost
  /// The host that the loop uses: `host`, with the server's clock if there is one.
  private let machine: any EngineHost
  let planner: Planner
  let directory: TemporaryDirectory
  /// The latest journal entries.
  let ring = JournalRing(capacity: 100)
  let board = StatusBoard(ServiceManager(socket: nil))
  private let reply: Stage.Reply
  /// The share of the nightly audit. A change takes effect at the next run.
  var auditShare: Double? {
    get { share.withLock(\.self) }
    set { share.withLock { $0 = newValue } }
  }
  private let share = Mutex<Double?>(nil)
  /// The instants at which the loop began an audit.
  var auditStarts: [Instant] { audits.withLock(\.self) }
  private let audits = Mutex<[Instant]>([])
  var whenStoreFails: @Sendable (StoreFailure) -> Void {
    get { failureHandler.withLock { $0 } }
    set { failureHandler.withLock { $0 = newValue } }
  }
  private let failureHandler = Mutex<@Sendable (StoreFailure) -> Void>({ _ in })
  /// The queries and the clock of the running loop; nil before it runs.
  private let runningLoop = Mutex<(questions: Questions, clock: TrustedClock)?>(nil)
  private let delivered = Mutex<[String]>([])

  /// - Parameter clock: Replaces the host's clock while the host's clock is wrong; nil for no
  ///   replacement.
  init(
    at start: String, by clock: ServerClock? = nil, reply: @escaping Stage.Reply = Stage.accepting
  ) throws {
    host = try VirtualHost(at: utc(start), watchedBy: Heartbeats())
    machine = clock.map { [host] in ServerClockHost(host, by: $0) } ?? host
    planner = try Fixtures.planner()
    directory = try TemporaryDirectory.inMemory()
    self.reply = reply
  }

  /// Restarts the service of another stage, on the same disk.
  ///
  /// - Parameter boot: The id of the machine's boot; nil if it is unknown.
  init(after other: LoopStage, boot: String? = "first") throws {
    host = try VirtualHost(after: other.host, boot: boot)
    machine = host
    (planner, directory, reply) = (other.planner, other.directory, other.reply)
  }

  /// Runs the loop on this thread until it ends.
  func run() throws -> StoreFailure? {
    var configuration = Engine.Configuration(
      store: SQLiteStore.opening(directory.path), planner: planner, sinks: [NamedSink()],
      routes: Routes(allTo: NamedSink().name), journal: Journal(.lines(-1), ring: ring),
      board: board, heartbeats: Heartbeats(),
      whenStoreFails: whenStoreFails)
    configuration.auditShare = auditShare
    let store = try SQLiteStore(directory: directory.path)
    let loop = try EngineLoop(
      configuration, store: store, requestQueue: host.requestQueue, host: machine, actions: self)
    loop.startAudit = { [self, clock = loop.clock] _ in
      audits.withLock { $0.append(clock.now()) }
    }
    runningLoop.withLock { $0 = (loop.questions, loop.clock) }
    return loop.run()
  }

  /// A line for each accepted delivery, in order, such as
  /// "2026-03-02T21:00:00.000Z amina daily-checkin-reminder".
  var deliveryLines: [String] { delivered.withLock { $0 } }

  // MARK: - Actions while the loop sleeps

  /// Submits an event at a time, which is also the event's time.
  func take(
    at time: String, _ type: String, _ data: JSONValue = [:],
    _ answer: @escaping Answer<[Receipt]> = { _ in }
  ) throws {
    let event = try Fixtures.event(
      "\(type) \(time)", type, of: "amina", at: utc(time), data, planner: planner)
    host.plan(at: try utc(time)) { [host] in host.requestQueue.post(.submit([event], answer)) }
  }

  /// Queries the status.
  func ask(at time: String) throws -> AnswerBox<ServiceStatus> { try ask(StatusQuery(), at: time) }

  func ask<Query: EngineQuery>(
    _ query: Query, at time: String
  ) throws -> AnswerBox<Query.Value> {
    let answer = AnswerBox<Query.Value>()
    host.plan(at: try utc(time)) { [self] in
      guard let (questions, clock) = runningLoop.withLock(\.self) else { return }
      answer.take(
        Result { () throws(ServiceUnavailable) in
          try questions.answer(query, now: clock.now())
        })
    }
    return answer
  }

  /// Sets the clock at a time to another time; to the right time if nil.
  func setClock(at time: String, to other: String?) throws {
    host.setClock(at: try utc(time), to: try other.map(utc))
  }

  /// Returns the number of recorded notifications, with any outcome.
  func recordedCount() throws -> Int {
    let queue = try DatabaseQueue(path: directory.path + "/chimed.sqlite")
    return try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM notification") ?? 0 }
  }

  func stop(at time: String, _ answer: @escaping Answer<Void> = { _ in }) throws {
    host.plan(at: try utc(time)) { [host] in host.requestQueue.post(.stop(answer)) }
  }

  // MARK: - The engine's actions

  func dispatch(_ deliveries: [Reminders.Delivery], toLane lane: Int) {
    let result = reply(deliveries)
    if case .success(let answers) = result {
      for (delivery, answer) in zip(deliveries, answers) where answer == .delivered {
        delivered.withLock {
          $0.append("\(machine.now()) \(delivery.recipient) \(delivery.reminder)")
        }
      }
    }
    host.requestQueue.post(.sinkAnswered(lane: lane, result))
  }

  func open(lane: Int, for sink: any Sink, _ limits: SinkLimits) {}
  func retire(lane: Int) {}
  func close(lane: Int) {}
  func dispatch(_ events: [AnalyticsItem], toLane lane: Int) {}
  func openAnalytics(lane: Int, for sink: any AnalyticsSink, _ limits: SinkLimits) {}
  func report(_ notes: OccurrenceNotes) {}
  func report(_ update: ZoneUpdate) {}
  func report(_ note: DeliveryNote) {}
  func report(_ refused: [FinishedSubmission]) {}
  func report(_ ended: [EndedReminder]) {}
  func report(_ recipients: [SetAsideRecipient]) {}
}
