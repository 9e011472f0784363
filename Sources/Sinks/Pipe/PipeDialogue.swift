import CivilTime
import Outbox
import Reminders
import Systemd

/// Deliveries for a program that answers line by line: what waits, what it has, what it said.
///
/// A delivery that was with a program when that died is handed over again, to the next program.
/// Which of several it died of nobody knows: they go one by one then, and one that a program dies
/// of alone is answered for.
struct PipeDialogue {
  private struct Handed {
    let index: Int
    let since: MonotonicInstant
  }

  let deliveries: [any Document]
  private let deadline: Duration
  private let concurrency: Int
  private var answers: [SinkAnswer?]
  private let progress: BatchProgress?
  private var waiting: ArraySlice<Int>
  /// By identifier: one that is sent on two channels is with the program for one at a time.
  private var handed: [String: Handed] = [:]
  /// Those that were with a program when it died.
  private var suspects: Set<Int> = []
  /// The last time that the program has answered.
  private var lastAnswer: MonotonicInstant?
  private var answered: Set<String> = []
  /// How many programs have died of a delivery alone, with none that answered.
  private var deaths = 0
  private var outage: SinkOutage?

  /// How many a program has to die of, one after the other, until it is taken to be the program.
  private static let deathsMax = 3
  private static let pause = TimeSpan.seconds(5)

  init(
    _ deliveries: [any Document], deadline: Duration, concurrency: Int,
    _ progress: BatchProgress? = nil
  ) {
    self.deliveries = deliveries
    self.progress = progress
    self.deadline = deadline
    self.concurrency = concurrency
    answers = Array(repeating: nil, count: deliveries.count)
    waiting = Array(deliveries.indices)[...]
  }

  var isWaiting: Bool { !waiting.isEmpty }

  /// What the sink says, once it can.
  var result: Result<[SinkAnswer], SinkOutage>? {
    if let outage { return .failure(outage) }
    let answers = answers.compactMap { $0 }
    return answers.count == deliveries.count ? .success(answers) : nil
  }

  /// When the program has been silent for too long; nil while it has nothing.
  var silenceEnd: MonotonicInstant? {
    guard let first = handed.values.map(\.since).min() else { return nil }
    return max(first, lastAnswer ?? first) + deadline
  }

  /// The delivery to hand over now, if one is.
  mutating func next(at now: MonotonicInstant) -> (any Document)? {
    guard outage == nil, let index = nextIndex else { return nil }
    waiting.removeAll { $0 == index }
    handed[deliveries[index].identifier] = Handed(index: index, since: now)
    return deliveries[index]
  }

  private var nextIndex: Int? {
    guard handed.count < (suspects.isEmpty ? concurrency : 1) else { return nil }
    return waiting.first { handed[deliveries[$0].identifier] == nil }
  }

  mutating func take(
    _ answer: PipeAnswer, said: [UInt8], at now: MonotonicInstant
  ) throws(PipeFault) {
    guard let entry = handed.removeValue(forKey: answer.identifier) else {
      throw answered.contains(answer.identifier) ? .twice : .unknown
    }
    let response = SinkResponse(
      status: answer.verdict.word, said: said, duration: TimeSpan(entry.since.duration(to: now)))
    settle(entry.index, SinkAnswer(answer.verdict, response: response))
    answered.insert(answer.identifier)
    lastAnswer = now
    deaths = 0
  }

  /// The program was silent for too long: what it has had for so long is answered for.
  mutating func giveUp(at now: MonotonicInstant) {
    let reason = "the program did not answer within \(TimeSpan(deadline))"
    for (identifier, entry) in handed where entry.since + deadline <= now {
      settle(entry.index, .retry(after: nil, reason: reason))
      handed[identifier] = nil
    }
  }

  /// The program has ended.
  mutating func died(_ reason: String) {
    let indices = handed.values.map(\.index).sorted()
    handed = [:]
    lastAnswer = nil
    if let only = indices.first, indices.count == 1, suspects.contains(only) {
      deaths += 1
      settle(only, .retry(after: nil, reason: "with this delivery, \(reason)"))
    } else {
      suspects.formUnion(indices)
      waiting = (indices + waiting)[...]
    }
    if deaths >= Self.deathsMax, answered.isEmpty { outage = SinkOutage(reason) }
  }

  /// No program can be started, or none will be.
  mutating func fail(_ reason: String) {
    if answers.allSatisfy({ $0 == nil }) {
      outage = SinkOutage(reason)
    } else {
      for index in answers.indices where answers[index] == nil {
        settle(index, .retry(after: Self.pause, reason: reason))
      }
    }
    waiting = []
    handed = [:]
  }

  /// The service stops: nothing more is handed over.
  mutating func stop() {
    for index in waiting {
      settle(index, .retry(after: Self.pause, reason: "the service stopped before its turn"))
    }
    waiting = []
  }

  private mutating func settle(_ index: Int, _ answer: SinkAnswer) {
    answers[index] = answer
    progress?.answer(index, answer)
    suspects.remove(index)
  }
}

extension SinkAnswer.Verdict {
  fileprivate var word: String {
    switch self {
    case .delivered: "delivered"
    case .retry: "retry"
    case .rejected: "rejected"
    }
  }
}
