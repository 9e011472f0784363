import CivilTime
import Store

extension EngineCore {
  /// Answers requests that need no transaction; true if this was one.
  func answerAtOnce(_ request: Request) -> Bool {
    switch request {
    case .forgetTest(let notification): outbox.forgetTest(notification)
    case .stop(let answer): answer(.success(()))
    case .cleaned, .abandon: break
    case .write, .inboxWrite, .test:
      guard let shard = request.recipient.flatMap(shards.foreignShard) else { return false }
      refuse(request, ServiceUnavailable(elsewhere: shard))
    case .submit, .deadLetterWrite, .pauseSink, .drain, .token, .sinkAnswered, .sinkAnsweredInPart,
      .stragglersAnswered, .analyticsAnswered, .planWith, .adopt, .acquire, .release, .refresh:
      return false
    }
    return true
  }

  /// The current status, for the engine's own thread.
  func status(now: Instant) throws(StoreError) -> ServiceStatus {
    try questions.status(now: now)
  }
}
