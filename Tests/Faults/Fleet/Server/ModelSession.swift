import CivilTime
import Fleet

/// A step of a request. The steps of a request run in order.
enum ModelStep {
  case lock(ModelRow, LockMode)
  /// Lets a time span pass.
  case take(TimeSpan)
  case act((ModelServer, ModelSession) -> ModelOutcome)
  case commit
}

/// The result of a step.
enum ModelOutcome {
  /// The next step may run.
  case resume
  /// These steps run before the remaining steps.
  case first([ModelStep])
  /// The request has this answer when all steps are done.
  case answer(ModelAnswer)
  /// Rolls back and gives this answer.
  case stop(ModelAnswer)
  /// Rolls back and refuses the request.
  case refuse
}

enum ModelAnswer {
  case fleet(FleetAnswer)
  case begun(ModelBeginning)
  case written
  case rows([Int: ShardRows], block: Range<Int64>)
}

/// The result of a cycle's first request.
enum ModelBeginning {
  /// The transaction has begun. `known` are the ids of the events that are already ingested.
  /// `block` are reserved ids for notifications; nil if none were requested.
  case done(known: Set<Int>, block: Range<Int64>?)
  /// The node is fenced.
  case fenced
  /// The node does not own these shards.
  case notOwn(Set<Int>)
}

enum ModelReply {
  case answer(ModelAnswer)
  /// The server has rolled back.
  case refused
  /// The connection has ended.
  case lost
  /// The connection has ended, because the server did not answer in time.
  case silent
}

/// The server's end of a connection.
final class ModelSession {
  let number: Int
  let incarnation: Incarnation
  /// Whether this is the node's connection for heartbeats, whose end shows that the node is gone.
  let isMembership: Bool
  var isAlive = true
  /// The steps of the current request that have not run yet.
  var steps: ArraySlice<ModelStep> = []
  /// Whether the session waits for a lock.
  var isWaiting = false
  /// The answer that the current request gets when all steps are done; nil if it has none yet.
  var answer: ModelAnswer?
  /// Sends the reply to the current request; nil if there is no request.
  var reply: ((ModelReply) -> Void)?
  /// The transaction's changes, applied at its commit.
  var staged: [() -> Void] = []
  /// Whether the session's client is gone.
  var isAbandoned = false
  /// The number of requests so far. A timeout of a request has no effect if the number has changed.
  var requestCount = 0
  /// The effect of the next commit, which gets no answer; nil for a normal commit.
  var commitLoss: CommitLoss?

  enum CommitLoss: CaseIterable {
    /// The transaction is committed.
    case done
    /// The transaction is rolled back.
    case undone
  }

  init(_ number: Int, _ incarnation: Incarnation, isMembership: Bool) {
    (self.number, self.incarnation, self.isMembership) = (number, incarnation, isMembership)
  }
}
