import CivilTime
import Engine
import Fleet
import PostgresStore
import Store
import Systemd

/// The environment of a node's thread: clocks, incoming events, and operations that would block the
/// thread too long.
protocol NodeEnvironment {
  /// Reads the boot clock.
  var bootClock: @Sendable () -> TimeSpan { get }
  /// The current readings of the clocks.
  var moment: Moment { get }

  /// Waits for events, and removes and returns all of them.
  ///
  /// - Parameter span: the timeout; nil to wait without limit.
  func take(within span: TimeSpan?) -> [NodeEvent]

  /// Starts to connect as a new incarnation. Posts `connected` or `unconnected`.
  func connect()

  /// Starts to open an engine. Posts `opened`.
  func open(_ configuration: Engine.Configuration, as incarnation: Incarnation)
}

/// A node's connection to its fleet.
protocol NodeMembership: AnyObject {
  var incarnation: Incarnation { get }

  /// Executes a statement, and waits for its result.
  func carryOut(_ statement: FleetStatement) -> MembershipOutcome
}

extension Membership: NodeMembership {}

/// The engine interface that a node uses.
protocol NodeEngine: AnyObject, Sendable {
  /// The interface for clients' requests.
  var serving: any ServingEngine { get }

  /// Sets until when the engine may trust that it owns its shards, as a time since boot.
  func trust(until end: TimeSpan)
  /// Reads tokens and paused sinks again, because other nodes may have changed them.
  func refresh()
  /// Acquires shards; the answer has those that the engine works on from now on.
  func acquire(_ shards: Set<Int>, _ answer: @escaping Answer<Set<Int>>)
  /// Releases shards; answers when no delivery for them is in flight.
  func release(_ shards: Set<Int>, _ answer: @escaping Answer<Void>)
  func adopt(_ configuration: RuntimeConfiguration, _ answer: @escaping Answer<Void>)
  /// Stops the engine gracefully; `body` is called when the engine has ended.
  func stop(_ body: @escaping @Sendable () -> Void)
  /// Ends the engine without another write.
  func abandon()
}

extension Engine: NodeEngine {
  var serving: any ServingEngine { self }
}

/// The real environment: this machine and PostgreSQL.
struct RealEnvironment: NodeEnvironment {
  let database: PostgresDatabase
  let times: FleetTimes
  let mailbox: NodeMailbox

  var bootClock: @Sendable () -> TimeSpan { WallClock.sinceBoot }

  var moment: Moment { Moment(sinceBoot: WallClock.sinceBoot(), wall: WallClock.now()) }

  func take(within span: TimeSpan?) -> [NodeEvent] { mailbox.take(within: span) }

  func connect() {
    runDetached("fleet connect") { [database, times] in
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
    runDetached("fleet engine") {
      .opened(incarnation, Result { try Engine(configuration) })
    } otherwise: {
      .opened(incarnation, .failure($0))
    }
  }

  /// Runs the body on a new thread, and posts the resulting event.
  private func runDetached(
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
