import CivilTime
import Engine
import Fleet
import PostgresStore
import Synchronization
import Systemd

/// An event for a node's thread.
enum NodeEvent: Sendable {
  /// The process has connected to PostgreSQL, as a new incarnation.
  case connected(Link)
  /// Connecting has failed.
  case unconnected(any Error)
  /// An engine was opened, or could not be opened.
  case opened(Incarnation, Result<any NodeEngine, any Error>)
  /// An engine has acquired shards.
  case acquired(Incarnation, Set<Int>)
  /// An engine has released a shard, or cannot release it at the moment.
  case released(Incarnation, Tenure, isDone: Bool)
  /// The store of an engine has failed.
  case failed(Incarnation, StoreFailure)
  /// An engine has stopped.
  case ended(Incarnation)
  /// A reload requests that engines use a configuration.
  case adopt(RuntimeConfiguration, Answer<Void>)
  /// The engine's answer to a configuration, with the request that waits for it.
  case adopted(Incarnation, RuntimeConfiguration, Result<Void, ServiceUnavailable>, Answer<Void>)
  /// The service stops.
  case stop
  /// The watchdog requests a sign of progress.
  case watchdogCheck(ProgressHandle)

  /// A membership, created on one thread and then used only by another.
  struct Link: @unchecked Sendable {
    let membership: any NodeMembership
  }
}

/// The queue of events for a node's thread.
final class NodeMailbox: Sendable {
  private let events = Mutex<[NodeEvent]>([])
  private let arrivals: WakeFlag

  init() throws(SystemCallError) { arrivals = try WakeFlag() }

  func post(_ event: NodeEvent) {
    events.withLock { $0.append(event) }
    arrivals.raise()
  }

  /// Waits for events, and removes and returns all of them.
  ///
  /// - Parameter span: the timeout; nil to wait without limit.
  func take(within span: TimeSpan?) -> [NodeEvent] {
    arrivals.wait(milliseconds: span.map { Int(clamping: $0.milliseconds) })
    return events.withLock { events in
      defer { events = [] }
      return events
    }
  }
}

/// An event that occurs once, with success or an error, and that several tasks can wait for.
final class Milestone: Sendable {
  private enum State {
    case pending([CheckedContinuation<(any Error)?, Never>])
    case reached((any Error)?)
  }

  private let state = Mutex(State.pending([]))

  /// - Parameter error: why the milestone failed; nil for success.
  func reach(_ error: (any Error)? = nil) {
    let waiting: [CheckedContinuation<(any Error)?, Never>] = state.withLock { state in
      guard case .pending(let waiting) = state else { return [] }
      state = .reached(error)
      return waiting
    }
    for continuation in waiting { continuation.resume(returning: error) }
  }

  /// Waits until the milestone is reached; returns why it failed, or nil for success.
  func wait() async -> (any Error)? {
    await withCheckedContinuation { continuation in
      let result: (any Error)?? = state.withLock { state in
        switch state {
        case .reached(let error): return .some(error)
        case .pending(let waiting):
          state = .pending(waiting + [continuation])
          return nil
        }
      }
      if let result { continuation.resume(returning: result) }
    }
  }
}
