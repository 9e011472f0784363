import AnswerPeers
import Outbox
import Reminders

/// Deliveries through a real sink (rules D2, D3).
extension Life {
  /// The maximum number of consecutive batches that may fail although the receiver accepts all
  /// deliveries.
  private static let failuresMax = 20

  /// Sends a batch with the real client. The receiver accepts all deliveries, except during
  /// trouble.
  func deliverByClient(_ batch: Outside.Batch) -> Result<[SinkAnswer], SinkOutage> {
    guard let answeredSink else { return .success([]) }
    let scripts = trouble == nil ? [] : scripts(for: batch.deliveries)
    let (result, flaws) = answeredSink.dispatch(
      batch.deliveries, at: clocks.wall, answeredBy: scripts)
    for flaw in flaws { addFinding("the client: \(flaw)") }
    let answers = (try? result.get()) ?? []
    // A delivery that the client reports as delivered counts as received.
    receive(zip(batch.deliveries, answers).filter { $1.isDelivered }.map { $0.0 })
    tally.answers += scripts.count
    if hasCompleteAnswers { judge(answers, to: scripts) }
    judgeHealth(result)
    return result
  }

  /// Returns a script for each delivery. The deliveries of a notification have the same script,
  /// because not every request names its channel.
  private func scripts(for deliveries: [Reminders.Delivery]) -> [AnswerScript] {
    var scriptsByNotification: [Int64: AnswerScript] = [:]
    return deliveries.map { delivery in
      if let script = scriptsByNotification[delivery.notification] { return script }
      var grammar = AnswerGrammar(seed: random.next())
      let script = hasCompleteAnswers ? grammar.status() : grammar.script()
      scriptsByNotification[delivery.notification] = script
      return script
    }
  }

  /// Whether the receiver's answers are complete, so that none can be read as part of another
  /// answer. Complete answers may have any status.
  private var hasCompleteAnswers: Bool { seed % 4 < 2 }

  /// Checks that the client reports no delivery that the receiver did not accept.
  private func judge(_ answers: [SinkAnswer], to scripts: [AnswerScript]) {
    for (answer, script) in zip(answers, scripts) where answer.isDelivered && !script.mayDeliver {
      let beginning = String(decoding: script.pieces[0].prefix(40), as: UTF8.self)
      addFinding("the client reports a delivery after \(beginning.debugDescription)")
    }
  }

  /// Checks that the client delivers again after the end of trouble.
  private func judgeHealth(_ result: Result<[SinkAnswer], SinkOutage>) {
    let isWell =
      if case .success(let answers) = result { answers.allSatisfy(\.isDelivered) } else { false }
    failedBatches = isWell || trouble != nil ? 0 : failedBatches + 1
    if failedBatches > Self.failuresMax {
      addFinding("the client still fails with good answers: \(result)")
    }
  }
}
