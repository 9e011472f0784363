package import Access
import CSystemd
package import Outbox
package import Reminders
package import Store
import Synchronization
package import Systemd

/// Where requests wait for the engine's thread, which a flag wakes. Closed, it takes none.
package final class RequestQueue: Sendable {
  private struct State {
    var requests: [Request] = []
    var isClosed = false
  }

  private let raised: Descriptor
  /// What the watchdog watches: who posts expects the thread to get on.
  let progress: ProgressHandle
  private let uptime: @Sendable () -> MonotonicInstant
  private let state = Mutex(State())

  /// - Parameter uptime: reads the clock that the watchdog counts by.
  package init(
    progress: ProgressHandle = Heartbeats().register("engine", at: .now),
    uptime: @escaping @Sendable () -> MonotonicInstant = { .now }
  ) throws(SystemCallError) {
    self.progress = progress
    self.uptime = uptime
    raised = Descriptor(try SystemCallError.check("open a flag", chime_flag_open()))
  }

  /// The descriptor to wait on.
  package var flag: Int32 { raised.number }

  /// Whether the request was taken.
  @discardableResult
  package func post(_ request: Request) -> Bool {
    let waiting: Int? = state.withLock { state in
      guard !state.isClosed else { return nil }
      state.requests.append(request)
      return state.requests.count
    }
    guard let waiting else { return false }
    progress.expect(at: uptime())
    // For those that waited already the flag is up, or about to be.
    if waiting == 1 { _ = chime_flag_raise(flag) }
    return true
  }

  package var isEmpty: Bool { state.withLock(\.requests.isEmpty) }

  /// Everything that waits, in order.
  package func take() -> [Request] {
    _ = chime_flag_clear(flag)
    return state.withLock { state in
      let requests = state.requests
      state.requests = []
      return requests
    }
  }

  /// Takes no more; what waits can still be taken out.
  package func close() {
    state.withLock { $0.isClosed = true }
  }
}

/// What reaches the engine's thread from others. Questions do not (`EngineQuestion`).
package enum Request: Sendable {
  case submit([Event], Answer<[Receipt]>)
  case write(Write, Answer<WriteReceipt>)
  case inboxWrite(String, InboxWrite, Answer<InboxReceipt?>)
  case deadLetterWrite(DeadLetterWrite, Answer<DeadLetterReceipt?>)
  /// Stops handing anything to a sink, or goes on; answers whether there is one of the name.
  case pauseSink(String, Bool, Answer<Bool>)
  /// Has a node of the fleet give everything away, or keep what it has; nil without a fleet.
  case drain(node: String, Bool, Answer<DrainDecision?>)
  /// Of a recipient.
  case test(String, TestOrder, TestObserver, Answer<TestReceipt?>)
  case forgetTest(String)
  case token(TokenChange, Answer<TokenRecord?>)
  /// A lane's sink has answered for all that was left of its batch.
  case sinkAnswered(lane: Int, Result<[SinkAnswer], SinkOutage>)
  /// A lane's sink has answered for some of the first that were left of its batch. The others of
  /// these are answered for by a number of their own. If it frees the lane, that goes on with them
  /// alone left of the batch; else `sinkAnswered` follows.
  case sinkAnsweredInPart(lane: Int, [SinkAnswer?], rest: Int, freesLane: Bool = true)
  /// A lane's sink has answered for some of what goes by a number, or takes none of it.
  case stragglersAnswered(lane: Int, rest: Int, Result<[SinkAnswer?], SinkOutage>)
  case analyticsAnswered(lane: Int, Result<[SinkAnswer], SinkOutage>)
  /// The tz database has changed; done later if it cannot be done now.
  case planWith(Planner)
  /// All of another configuration; answers with the planner that is in force then.
  case adopt(RuntimeConfiguration, Answer<Planner>)
  /// Takes over shards that this node has claimed; answers with those that it works on then.
  case acquire(Set<Int>, Answer<Set<Int>>)
  /// Lets go of shards; answered when they may be freed.
  case release(Set<Int>, Answer<Void>)
  /// Others may have changed tokens, or paused sinks.
  case refresh
  /// The files have been cleaned of who was erased, or that has failed.
  case cleaned
  case stop(Answer<Void>)
  /// The engine is to end as it is.
  case abandon
}

extension Request {
  var isStop: Bool { if case .stop = self { true } else { false } }

  var isAbandonment: Bool { if case .abandon = self { true } else { false } }

  var isAdoption: Bool { if case .adopt = self { true } else { false } }

  /// What of a lane's it is an answer to; empty for a request that is no answer.
  fileprivate var answered: [AnsweredPart] {
    switch self {
    case .sinkAnswered(let lane, _): [AnsweredPart(lane: lane)]
    case .sinkAnsweredInPart(let lane, _, let rest, _):
      [AnsweredPart(lane: lane), AnsweredPart(lane: lane, rest: rest)]
    case .stragglersAnswered(let lane, let rest, _): [AnsweredPart(lane: lane, rest: rest)]
    default: []
    }
  }
}

/// A lane's batch, or what goes by a number of its own.
private struct AnsweredPart: Hashable {
  let lane: Int
  var rest: Int?
}

extension [Request] {
  /// Takes out answers that follow on others of the same turn: they count from where those end.
  ///
  /// - Returns: those taken out, in order, for the next turn.
  mutating func removeFollowingAnswers() -> [Request] {
    var parts: Set<AnsweredPart> = []
    var following: [Request] = []
    removeAll { request in
      let isFollowing = !parts.isDisjoint(with: request.answered)
      parts.formUnion(request.answered)
      if isFollowing { following.append(request) }
      return isFollowing
    }
    return following
  }
}

/// Where the answer to a request goes; called once, when what it says is on disk.
package typealias Answer<Value: Sendable> = @Sendable (Result<Value, ServiceUnavailable>) -> Void

/// What became of one event that was handed in.
package enum Receipt: Sendable {
  /// Taken in and on disk (rule E3).
  case accepted
  /// The same event had been taken in before; nothing changed (rule E1).
  case duplicate
  /// Not taken in; nothing changed.
  case refused(Refusal)
  /// Not taken in: another node's, by the shard.
  case elsewhere(shard: Int)
}
