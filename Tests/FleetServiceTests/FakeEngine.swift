import CivilTime
import Engine
import Fleet
import Synchronization

@testable import FleetService

/// An engine that obeys its node at once and can begin a cycle whenever it is trusted.
final class FakeEngine: NodeEngine {
  private struct State {
    var isAbandoned = false
    var shards: Set<Int> = []
  }

  let incarnation: Incarnation
  let serving: any ServingEngine
  private let trust: TrustDeadline
  private let state = Mutex(State())

  init(_ configuration: Engine.Configuration, as incarnation: Incarnation) {
    self.incarnation = incarnation
    trust = configuration.trust ?? TrustDeadline()
    serving = CurrentService(planner: configuration.planner, tokens: configuration.tokens)
  }

  var isAbandoned: Bool { state.withLock(\.isAbandoned) }

  var shards: Set<Int> { state.withLock(\.shards) }

  var mayBeginTurn: Bool { !isAbandoned && trust.holds }

  func trust(until end: TimeSpan) { _ = trust.move(to: end) }

  func refresh() {}

  func acquire(_ shards: Set<Int>, _ answer: @escaping Answer<Set<Int>>) {
    state.withLock { $0.shards.formUnion(shards) }
    answer(.success(shards))
  }

  func release(_ shards: Set<Int>, _ answer: @escaping Answer<Void>) {
    state.withLock { $0.shards.subtract(shards) }
    answer(.success(()))
  }

  func adopt(_ configuration: RuntimeConfiguration, _ answer: @escaping Answer<Void>) {
    answer(.success(()))
  }

  func stop(_ body: @escaping @Sendable () -> Void) { body() }

  func abandon() {
    trust.revoke()
    state.withLock { $0.isAbandoned = true }
  }
}
