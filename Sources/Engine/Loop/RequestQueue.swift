package import Access
import CSystemd
package import Outbox
package import Reminders
package import Store
import Synchronization
package import Systemd

/// The queue of requests to the engine's thread. A flag wakes the thread. A closed queue accepts no
/// requests.
package final class RequestQueue: Sendable {
  private struct State {
    var requests: [Request] = []
    var isClosed = false
  }

  private let flagDescriptor: Descriptor
  /// The progress of the engine's thread. The watchdog expects progress after each posted request.
  let progress: ProgressHandle
  private let uptime: @Sendable () -> MonotonicInstant
  private let state = Mutex(State())

  /// - Parameter uptime: reads the clock that the watchdog uses.
  package init(
    progress: ProgressHandle = Heartbeats().register("engine", at: .now),
    uptime: @escaping @Sendable () -> MonotonicInstant = { .now }
  ) throws(SystemCallError) {
    self.progress = progress
    self.uptime = uptime
    flagDescriptor = Descriptor(try SystemCallError.check("open a flag", chime_flag_open()))
  }

  /// The descriptor of the flag, on which the engine's thread waits.
  package var flag: Int32 { flagDescriptor.number }

  /// Posts a request; returns whether it was accepted.
  @discardableResult
  package func post(_ request: Request) -> Bool {
    let waitingCount: Int? = state.withLock { state in
      guard !state.isClosed else { return nil }
      state.requests.append(request)
      return state.requests.count
    }
    guard let waitingCount else { return false }
    progress.expect(at: uptime())
    // If other requests wait already, the flag is raised or about to be.
    if waitingCount == 1 { _ = chime_flag_raise(flag) }
    return true
  }

  package var isEmpty: Bool { state.withLock(\.requests.isEmpty) }

  /// Removes and returns all waiting requests, in order.
  package func take() -> [Request] {
    _ = chime_flag_clear(flag)
    return state.withLock { state in
      let requests = state.requests
      state.requests = []
      return requests
    }
  }

  /// Closes the queue to new requests; waiting requests can still be taken.
  package func close() {
    state.withLock { $0.isClosed = true }
  }
}

/// A request from another thread to the engine's thread. Queries do not use the engine's thread
/// (`EngineQuery`).
package enum Request: Sendable {
  /// Ingests events; answers with the result of each, in the same order.
  case submit([Event], Answer<[Receipt]>)
  case write(Write, Answer<WriteReceipt>)
  /// Changes the inbox of the recipient with a name; answers nil for an unknown recipient.
  case inboxWrite(String, InboxWrite, Answer<InboxReceipt?>)
  case deadLetterWrite(DeadLetterWrite, Answer<DeadLetterReceipt?>)
  /// Pauses or resumes a sink; answers whether a sink with this name exists.
  case pauseSink(String, Bool, Answer<Bool>)
  /// Starts or stops draining a node of the fleet; answers nil without a fleet.
  case drain(node: String, Bool, Answer<DrainDecision?>)
  /// Sends a test notification to the recipient with a name.
  case test(String, TestParameters, TestObserver, Answer<TestReceipt?>)
  /// Ends the observation of the test notification with an id.
  case forgetTest(String)
  /// Changes a token; answers with the changed token, or nil if the token is unknown.
  case token(TokenChange, Answer<TokenRecord?>)
  /// A lane's sink has answered all remaining deliveries of its batch.
  case sinkAnswered(lane: Int, Result<[SinkAnswer], SinkOutage>)
  /// A lane's sink has answered deliveries at the start of the unreported part of its batch. A nil
  /// in the list is a straggler, which is answered later under the number `stragglers`. If
  /// `freesLane` is true, the lane continues and only stragglers are left of the batch; otherwise
  /// `sinkAnswered` follows.
  case sinkAnsweredInPart(lane: Int, [SinkAnswer?], stragglers: Int, freesLane: Bool = true)
  /// A lane's sink has answered some of the stragglers with the number `stragglers`, or accepted
  /// none of them.
  case stragglersAnswered(lane: Int, stragglers: Int, Result<[SinkAnswer?], SinkOutage>)
  /// The sink of a lane of analytics events has answered its batch.
  case analyticsAnswered(lane: Int, Result<[SinkAnswer], SinkOutage>)
  /// The tz database has changed: adopts a planner that uses it. The request is repeated if it
  /// fails.
  case planWith(Planner)
  /// Adopts another configuration as a whole; answers with the planner that is current then.
  case adopt(RuntimeConfiguration, Answer<Planner>)
  /// Acquires shards that this node has claimed; answers with the shards that it then works on.
  case acquire(Set<Int>, Answer<Set<Int>>)
  /// Releases shards; answered when they may be freed.
  case release(Set<Int>, Answer<Void>)
  /// Reads tokens and paused sinks again, because other nodes may have changed them. The request is
  /// repeated if it fails.
  case refresh
  /// The files have been cleaned after erasures, or that has failed.
  case cleaned
  case stop(Answer<Void>)
  /// Ends the engine at once, without waiting for deliveries in flight.
  case abandon
}

extension Request {
  var isStop: Bool { if case .stop = self { true } else { false } }

  var isAbandonment: Bool { if case .abandon = self { true } else { false } }

  var isAdoption: Bool { if case .adopt = self { true } else { false } }

  var isRefresh: Bool { if case .refresh = self { true } else { false } }

  /// The number of deliveries that a sink answers with this request; 0 for other requests.
  var answerCount: Int {
    switch self {
    case .sinkAnswered(_, .success(let answers)): answers.count
    case .sinkAnsweredInPart(_, let answers, _, _): answers.count { $0 != nil }
    case .stragglersAnswered(_, _, .success(let answers)): answers.count { $0 != nil }
    default: 0
    }
  }

  /// The deliveries in flight that this request answers; empty for other requests.
  fileprivate var answeredParts: [AnsweredPart] {
    switch self {
    case .sinkAnswered(let lane, _): [AnsweredPart(lane: lane)]
    case .sinkAnsweredInPart(let lane, _, let number, _):
      [AnsweredPart(lane: lane), AnsweredPart(lane: lane, stragglers: number)]
    case .stragglersAnswered(let lane, let number, _):
      [AnsweredPart(lane: lane, stragglers: number)]
    default: []
    }
  }
}

/// A lane's batch, or the stragglers with a number.
private struct AnsweredPart: Hashable {
  /// The number of the lane.
  let lane: Int
  /// The number of the stragglers; nil for the lane's batch.
  var stragglers: Int?
}

extension [Request] {
  /// Removes answers to a batch for which the same engine cycle has an earlier answer. Their
  /// positions count from the end of the earlier answer, and are valid only once that answer is
  /// applied.
  ///
  /// - Returns: the removed requests, in order, for the next cycle.
  mutating func removeFollowingAnswers() -> [Request] {
    var seenParts: Set<AnsweredPart> = []
    var removed: [Request] = []
    removeAll { request in
      let isLater = !seenParts.isDisjoint(with: request.answeredParts)
      seenParts.formUnion(request.answeredParts)
      if isLater { removed.append(request) }
      return isLater
    }
    return removed
  }
}

/// Receives the answer to a request. Called once: when the request's effects are on disk, or when
/// the request is refused.
package typealias Answer<Value: Sendable> = @Sendable (Result<Value, ServiceUnavailable>) -> Void

/// The result of one submitted event.
package enum Receipt: Sendable {
  /// Accepted and on disk (rule E3).
  case accepted
  /// Accepted before; nothing changed (rule E1).
  case duplicate
  /// Rejected; nothing changed.
  case refused(Refusal)
  /// Not accepted, because another node owns the shard.
  case elsewhere(shard: Int)
}
