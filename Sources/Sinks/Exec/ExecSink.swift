import CivilTime
import Outbox

/// `type: exec`: a program is started for each delivery.
package struct ExecConfiguration: ProgramSinkConfiguration {
  package static let kind = ProgramSinkKind.exec

  package let command: ProgramCommand

  package init(command: ProgramCommand) { self.command = command }
}

extension ProgramSinkKind {
  /// Each delivery has a program, which reads it as JSON and says by its exit what came of it.
  package static let exec = Self(type: "exec", concurrency: 4) { ExecLoop($0, waits: $1) }
}

/// Deliveries that a program each is started for: which is next, and what they all come to.
struct ExecBatch {
  private var answers: [SinkAnswer?]
  private var next = 0
  private var underWay = 0
  /// Why a program could not be started; no other is started then.
  private var failure: String?

  /// When to try again what another delivery's program kept from being tried.
  private static let pause = TimeSpan.seconds(5)

  init(count: Int) {
    answers = Array(repeating: nil, count: count)
  }

  /// The delivery to start a program for; nil if it has to wait or none is left.
  ///
  /// - Parameter concurrency: how many programs may run at once.
  mutating func start(concurrency: Int) -> Int? {
    guard failure == nil, underWay < concurrency, next < answers.count else { return nil }
    defer { next += 1 }
    underWay += 1
    return next
  }

  mutating func couldNotStart(_ reason: String) {
    underWay -= 1
    failure = failure ?? reason
  }

  mutating func ended(_ index: Int, _ answer: SinkAnswer) {
    underWay -= 1
    answers[index] = answer
  }

  /// The service stops: nothing is started any more.
  mutating func stop() {
    failure = failure ?? "the service stopped before the program was started"
  }

  /// What the sink says, once it can.
  var result: Result<[SinkAnswer], SinkOutage>? {
    guard underWay == 0, failure != nil || next == answers.count else { return nil }
    guard let failure else { return .success(answers.compactMap { $0 }) }
    if answers.allSatisfy({ $0 == nil }) { return .failure(SinkOutage(failure)) }
    return .success(answers.map { $0 ?? .retry(after: Self.pause, reason: failure) })
  }
}
