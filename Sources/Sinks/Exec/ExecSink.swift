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
  private let progress: BatchProgress?
  private var next = 0
  private var underWay = 0
  /// Why a program could not be started; no other is started then.
  private var failure: String?

  /// When to try again what another delivery's program kept from being tried.
  private static let pause = TimeSpan.seconds(5)

  init(count: Int, _ progress: BatchProgress? = nil) {
    answers = Array(repeating: nil, count: count)
    self.progress = progress
  }

  /// Whether there is a delivery to start a program for.
  var hasNext: Bool { failure == nil && next < answers.count }

  /// The delivery to start a program for, which there is.
  ///
  /// - Parameter slots: those that programs have, one each.
  mutating func start(in slots: Slots) -> Int {
    defer { next += 1 }
    underWay += 1
    if next + 1 == answers.count { progress?.everythingIsUnderWay(in: slots) }
    return next
  }

  mutating func couldNotStart(_ reason: String) {
    underWay -= 1
    failure = failure ?? reason
  }

  mutating func ended(_ index: Int, _ answer: SinkAnswer) {
    underWay -= 1
    answers[index] = answer
    progress?.answer(index, answer)
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
