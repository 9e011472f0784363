package import CivilTime
import Reminders
import Store
import Systemd

/// What a node of several is told: which shards are its own, and for how long it may think so.
extension Engine {
  /// Takes over shards that this node has claimed.
  ///
  /// - Returns: those of them that it works on from now on.
  package func acquire(_ shards: Set<Int>) async throws(ServiceUnavailable) -> Set<Int> {
    try await ask { .acquire(shards, $0) }
  }

  /// Lets go of shards: returns when nothing of them is on its way here any more, and they may be
  /// freed for others.
  package func release(_ shards: Set<Int>) async throws(ServiceUnavailable) {
    try await ask { .release(shards, $0) }
  }

  /// The same for who has no task to wait in.
  package func acquire(_ shards: Set<Int>, _ answer: @escaping Answer<Set<Int>>) {
    ask({ .acquire(shards, $0) }, answer)
  }

  package func release(_ shards: Set<Int>, _ answer: @escaping Answer<Void>) {
    ask({ .release(shards, $0) }, answer)
  }

  package func adopt(_ configuration: RuntimeConfiguration, _ answer: @escaping Answer<Void>) {
    let taken: Answer<Planner> = { [self] result in
      if case .success(let planner) = result { planIs(planner) }
      answer(result.map { _ in })
    }
    ask({ .adopt(configuration, $0) }, taken)
  }

  /// The shard of a recipient.
  package func shard(of recipient: String) -> Int? { snapshots.shard(of: recipient) }

  /// Ends it in order, as `stop` does.
  ///
  /// - Parameter body: called when it has ended, in order or not.
  package func stop(_ body: @escaping @Sendable () -> Void) {
    requestQueue.post(.stop { _ in })
    whenEnded { _ in body() }
  }

  /// Ends it as it is: nothing is written any more, what is with sinks is given up, and who waits
  /// for an answer gets none. Another node may have its place already. It returns at once; its
  /// thread ends when the server has answered, or has been given up.
  package func abandon() {
    trust?.revoke()
    shell.leave()
    requestQueue.post(.abandon)
    requestQueue.progress.retire()
  }

  /// Until when shards can be taken for this node's, by the boot clock; then it does nothing until
  /// it is told another time.
  package func trust(until end: TimeSpan) {
    // What others have changed meanwhile is looked at again.
    if trust?.move(to: end) ?? false { refresh() }
  }

  /// Others may have changed tokens, or paused sinks.
  package func refresh() { requestQueue.post(.refresh) }
}
