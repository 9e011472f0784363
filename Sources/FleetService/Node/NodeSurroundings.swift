import CivilTime
import Engine
import Fleet
import PostgresStore
import Store
import Systemd

/// What a node's thread reaches beyond itself: clocks, what others have told it, and what takes too
/// long to be waited for there.
protocol NodeSurroundings {
  /// Reads the boot clock.
  var bootClock: @Sendable () -> TimeSpan { get }
  var moment: Moment { get }

  /// Waits for events, and takes all that are there.
  ///
  /// - Parameter span: how long at most; nil for as long as it takes.
  func take(within span: TimeSpan?) -> [NodeEvent]

  /// Begins to connect as a new incarnation, of which `connected` or `unconnected` comes.
  func connect()

  /// Begins to open an engine, of which `opened` comes.
  func open(_ configuration: Engine.Configuration, as incarnation: Incarnation)
}

/// A node's connection to its fleet.
protocol NodeMembership: AnyObject {
  var incarnation: Incarnation { get }

  func carryOut(_ statement: FleetStatement) -> MembershipOutcome
}

extension Membership: NodeMembership {}

/// An engine, as a node works with it.
protocol NodeEngine: AnyObject, Sendable {
  /// What it is to those who ask.
  var serving: any ServingEngine { get }

  func trust(until end: TimeSpan)
  func refresh()
  func acquire(_ shards: Set<Int>, _ answer: @escaping Answer<Set<Int>>)
  func release(_ shards: Set<Int>, _ answer: @escaping Answer<Void>)
  func adopt(_ configuration: RuntimeConfiguration, _ answer: @escaping Answer<Void>)
  func stop(_ body: @escaping @Sendable () -> Void)
  func abandon()
}

extension Engine: NodeEngine {
  var serving: any ServingEngine { self }
}

/// The machine, and PostgreSQL.
struct RealSurroundings: NodeSurroundings {
  let database: PostgresDatabase
  let times: FleetTimes
  let mailbox: NodeMailbox

  var bootClock: @Sendable () -> TimeSpan { WallClock.sinceBoot }

  var moment: Moment { Moment(sinceBoot: WallClock.sinceBoot(), wall: WallClock.now()) }

  func take(within span: TimeSpan?) -> [NodeEvent] { mailbox.take(within: span) }

  func connect() {
    apart("fleet connect") { [database, times] in
      let incarnation = Incarnation(.random(in: 1 ... .max))
      let result = Result { try Membership(database, as: incarnation, times) }
      switch result {
      case .success(let membership): return .connected(NodeEvent.Link(membership: membership))
      case .failure(let error): return .unconnected(error)
      }
    } otherwise: {
      .unconnected($0)
    }
  }

  func open(_ configuration: Engine.Configuration, as incarnation: Incarnation) {
    apart("fleet engine") {
      .opened(incarnation, Result { try Engine(configuration) })
    } otherwise: {
      .opened(incarnation, .failure($0))
    }
  }

  /// Does something on a thread of its own, and posts what comes of it.
  private func apart(
    _ name: String, _ body: @escaping @Sendable () -> NodeEvent,
    otherwise: (any Error) -> NodeEvent
  ) {
    do {
      try OperatingSystemThread(name: name) { [mailbox] in mailbox.post(body()) }.detach()
    } catch {
      mailbox.post(otherwise(error))
    }
  }
}
