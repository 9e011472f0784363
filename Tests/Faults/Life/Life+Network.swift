import AnswerPeers
import Outbox
import Reminders

/// How deliveries go out where the sink is a real one (rules D2, D3).
extension Life {
  /// How many good answers in a row a client may miss that has been told nonsense before.
  private static let missesMax = 20

  /// Hands a batch to the real client, whose receiver means well unless that is the trouble.
  func handOver(_ batch: Outside.Batch) -> Result<[SinkAnswer], SinkOutage> {
    guard let answered else { return .success([]) }
    let scripts = trouble == nil ? [] : scripts(for: batch.deliveries)
    let (result, flaws) = answered.hand(batch.deliveries, at: clocks.wall, answered: scripts)
    for flaw in flaws { find("the client: \(flaw)") }
    let answers = (try? result.get()) ?? []
    // What the client takes for delivered is what the receiver has.
    receive(zip(batch.deliveries, answers).filter { $1.isDelivered }.map { $0.0 })
    tally.answers += scripts.count
    if isHonest { judge(answers, to: scripts) }
    judgeHealth(result)
    return result
  }

  /// By notification: not every request says by which channel it goes.
  private func scripts(for deliveries: [Reminders.Delivery]) -> [AnswerScript] {
    var known: [Int64: AnswerScript] = [:]
    return deliveries.map { delivery in
      if let script = known[delivery.notification] { return script }
      var grammar = AnswerGrammar(seed: random.next())
      let script = isHonest ? grammar.status() : grammar.script()
      known[delivery.notification] = script
      return script
    }
  }

  /// Whether answers are whole, so that none can be taken for another one's: their statuses say
  /// what they like.
  private var isHonest: Bool { seed % 4 < 2 }

  /// What the receiver has not taken is not delivered.
  private func judge(_ answers: [SinkAnswer], to scripts: [AnswerScript]) {
    for (answer, script) in zip(answers, scripts) where answer.isDelivered && !script.mayDeliver {
      let beginning = String(decoding: script.pieces[0].prefix(40), as: UTF8.self)
      find("the client takes \(beginning.debugDescription) for a delivery")
    }
  }

  /// Whoever is answered well delivers.
  private func judgeHealth(_ result: Result<[SinkAnswer], SinkOutage>) {
    let isWell =
      if case .success(let answers) = result { answers.allSatisfy(\.isDelivered) } else { false }
    misses = isWell || trouble != nil ? 0 : misses + 1
    if misses > Self.missesMax {
      find("the client does not take good answers any more: \(result)")
    }
  }
}
