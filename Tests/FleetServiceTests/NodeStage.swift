import CivilTime
import Engine
import Fleet
import Outbox
import PostgresStore
import Reminders
import Store
import Systemd
import Testing

@testable import FleetService

/// A node's thread with a simulated clock, server and engines. The stage may be used on one thread
/// only.
final class NodeStage: NodeEnvironment {
  static let times = FleetTimes(lease: .seconds(5))
  /// The maximum number of calls of `take`. No test needs so many.
  private static let roundsMax = 100_000

  let clock = VirtualClock()
  let mailbox: NodeMailbox
  let server: FakeServer
  let journal = JournalRing(capacity: 8)
  let service: CurrentService
  let state = NodeState(sinks: [])
  /// All engines that were opened, in order.
  private(set) var engines: [FakeEngine] = []
  /// Whether an engine stays unopened until ``finishOpening(_:)``.
  var isOpeningSlow = false
  /// The times at which the node has tried to connect.
  private(set) var connectionTimes: [TimeSpan] = []
  /// The number of checks at which an engine could have begun a cycle. `late` counts those at which
  /// the engine's trust should already have ended.
  private(set) var cycleChecks = (count: 0, late: 0)
  /// The number of checks at which an engine without trust was not yet abandoned.
  private(set) var checksWithoutTrust = 0
  private var actions: [(time: TimeSpan, body: () -> Void)] = []
  private var rounds = 0
  private let setup: NodeSetup

  init() throws {
    let zones = try ZoneDatabase(generation: 1)
    let text = "catalog: none\ncategories: {}\ngroups: {}\nreminders: {}\n"
    let planner = Planner(
      catalog: try Catalog(reading: [CatalogSource(file: "none.yaml", text: text)]), zones: zones,
      defaultZone: try zones.zone(named: "UTC"))
    let configuration = Engine.Configuration(
      store: { () throws(StoreError) in
        throw StoreError.unreachable(database: "none", reason: "there is none")
      }, planner: planner, sinks: [], routes: Routes([:]),
      journal: Journal(.lines(-1), ring: journal),
      board: StatusBoard(ServiceManager(socket: nil)), heartbeats: Heartbeats())
    setup = NodeSetup(
      PostgresDatabase("dbname=none"), name: "north", times: Self.times, engine: configuration)
    mailbox = try NodeMailbox()
    server = FakeServer(clock)
    service = CurrentService(planner: planner, tokens: configuration.tokens)
  }

  var board: StatusBoard { setup.engine.board }

  var reporter: NodeReporter {
    NodeReporter(name: "north", journal: setup.engine.journal, board: board)
  }

  /// Schedules an action. Tests must call this in the order of the times.
  func at(_ seconds: Int, _ body: @escaping () -> Void) {
    actions.append((.seconds(seconds), body))
  }

  /// Runs until all actions are done and the node has stopped.
  func run() {
    actions.append(((actions.last?.time ?? .zero) + .seconds(1), { self.mailbox.post(.stop) }))
    NodeLoop(setup, self, mailbox, service, state, reporter).run()
    #expect(actions.isEmpty, "the node ended early")
  }

  private func checkEngines() {
    for engine in engines where !engine.isAbandoned {
      guard engine.mayBeginTurn else {
        checksWithoutTrust += 1
        continue
      }
      cycleChecks.count += 1
      if clock.now >= server.lastBeat + Self.times.lease - .seconds(1) { cycleChecks.late += 1 }
    }
  }

  func finishOpening(_ number: Int) {
    mailbox.post(.opened(engines[number].incarnation, .success(engines[number])))
  }

  // MARK: - The thread's environment

  var bootClock: @Sendable () -> TimeSpan { { [clock] in clock.now } }

  var moment: Moment { clock.moment }

  func take(within span: TimeSpan?) -> [NodeEvent] {
    rounds += 1
    let events = mailbox.take(within: .zero)
    guard events.isEmpty, rounds < Self.roundsMax else { return events }
    let end = span.map { clock.now + $0 }
    guard let action = actions.first, end.map({ action.time <= $0 }) ?? true else {
      clock.move(to: end ?? clock.now, checkEngines)
      return mailbox.take(within: .zero)
    }
    actions.removeFirst()
    clock.move(to: action.time, checkEngines)
    action.body()
    return mailbox.take(within: .zero)
  }

  func connect() {
    connectionTimes.append(clock.now)
    guard server.condition != .away else {
      let error = StoreError.unreachable(database: "none", reason: "it is away")
      return mailbox.post(.unconnected(error))
    }
    let membership = FakeMembership(Incarnation(Int64(connectionTimes.count)), self)
    mailbox.post(.connected(NodeEvent.NewMembership(membership: membership)))
  }

  func open(_ configuration: Engine.Configuration, as incarnation: Incarnation) {
    engines.append(FakeEngine(configuration, as: incarnation))
    if !isOpeningSlow { finishOpening(engines.count - 1) }
  }

  private final class FakeMembership: NodeMembership {
    let incarnation: Incarnation
    private unowned let stage: NodeStage

    init(_ incarnation: Incarnation, _ stage: NodeStage) {
      (self.incarnation, self.stage) = (incarnation, stage)
    }

    func carryOut(_ statement: FleetStatement) -> MembershipOutcome {
      stage.server.outcome(of: statement) {
        stage.clock.move(to: stage.clock.now + NodeStage.times.answerMax, stage.checkEngines)
      }
    }
  }
}
