import CivilTime
import Fleet

/// What the server does for a request, one after the other.
enum ModelStep {
  case lock(ModelRow, LockMode)
  case take(TimeSpan)
  case act((ModelServer, ModelSession) -> ModelOutcome)
  case commit
}

/// What comes of a step.
enum ModelOutcome {
  case goOn
  /// The steps that come next.
  case first([ModelStep])
  /// What is going to be answered when all is done.
  case answer(ModelAnswer)
  /// The transaction is undone, and this is the answer.
  case stop(ModelAnswer)
  case refuse
}

enum ModelAnswer {
  case fleet(FleetAnswer)
  case begun(ModelBeginning)
  case written
  case rows([Int: ShardRows], block: Range<Int64>)
}

/// How the beginning of a turn went.
enum ModelBeginning {
  /// - Parameters:
  ///   - known: the events that are taken in already.
  ///   - block: of numbers for notifications.
  case done(known: Set<Int>, block: Range<Int64>?)
  case fenced
  case notOwn(Set<Int>)
}

enum ModelReply {
  case answer(ModelAnswer)
  /// The server has undone it.
  case refused
  /// The connection has ended.
  case lost
  /// The same, for the server has not answered in time.
  case silent
}

/// The server's side of a connection.
final class ModelSession {
  let number: Int
  let incarnation: Incarnation
  /// Whether it has the incarnation's lock.
  let isMembership: Bool
  var isAlive = true
  var steps: ArraySlice<ModelStep> = []
  /// Whether it waits for a lock.
  var isWaiting = false
  var answer: ModelAnswer?
  var reply: ((ModelReply) -> Void)?
  /// What the transaction changes when it commits.
  var staged: [() -> Void] = []
  /// Whether its client has ended.
  var isAbandoned = false
  /// Counts requests, so that a deadline knows its own.
  var request = 0
  /// What becomes of the next commit that fails: nil if none is to.
  var commitLoss: CommitLoss?

  enum CommitLoss: CaseIterable {
    case done
    case undone
  }

  init(_ number: Int, _ incarnation: Incarnation, isMembership: Bool) {
    (self.number, self.incarnation, self.isMembership) = (number, incarnation, isMembership)
  }
}
