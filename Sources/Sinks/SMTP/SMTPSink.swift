import CivilTime
package import Delivery
package import Reminders
import Synchronization
import Systemd

/// Hands deliveries to a mail server, several at once, over connections that it keeps.
package final class SMTPSink: Sink {
  package let name: String
  package let window = 256
  package let needsAddressee = true
  private let concurrency: Int
  private let composer: MailComposer
  private let secrets: Redaction
  private let postbox: Mutex<Postbox>

  private static let concurrencyDefault = 4

  init(
    _ common: SinkCommonSettings, server: MailServer, password: Secret?, composer: MailComposer
  ) throws {
    name = common.name
    concurrency = common.concurrency ?? Self.concurrencyDefault
    self.composer = composer
    secrets = Self.secrets(user: server.user, password)
    guard
      let postbox = Postbox(
        server: server, password: password, deadline: common.deadline, connections: concurrency)
    else { throw SinkOutage("libcurl cannot be used: there is not enough memory") }
    self.postbox = Mutex(postbox)
  }

  /// The password, also as it is sent (RFC 4616, and the older LOGIN).
  private static func secrets(user: String?, _ password: Secret?) -> Redaction {
    guard let user, let password = password?.reveal() else { return Redaction([]) }
    return Redaction([
      password, Base64.encoded(password.utf8), Base64.encoded("\0\(user)\0\(password)".utf8),
    ])
  }

  package func deliver(_ deliveries: [Delivery]) async throws(SinkOutage) -> [SinkAnswer] {
    let round = postbox.withLock { postbox in
      var round = MailRound(count: deliveries.count, concurrency: concurrency)
      run(&round, deliveries, postbox)
      return round
    }
    return try round.result()
  }

  private func run(_ round: inout MailRound, _ deliveries: [Delivery], _ postbox: Postbox) {
    while true {
      while let index = round.next() { begin(deliveries[index], index, &round, postbox) }
      guard let (tag, receipt) = postbox.next() else { return }
      let address = deliveries[tag].addressee?.email ?? ""
      round.finish(tag, receipt, hiding: secrets.adding(address))
    }
  }

  private func begin(
    _ delivery: Delivery, _ index: Int, _ round: inout MailRound, _ postbox: Postbox
  ) {
    switch composer.compose(delivery) {
    case .rejected(let reason): round.settle(index, .rejected(reason: reason))
    case .mail(let mail):
      if !postbox.send(mail, tag: index) {
        round.settle(index, .retry(after: nil, reason: "there is not enough memory"))
      }
    }
  }
}

/// A batch on its way to a mail server: what is next, and what came of each.
struct MailRound {
  private var answers: [SinkAnswer?]
  private var underWay = 0
  private let concurrency: Int
  /// Those that have not been begun, the next one last.
  private var waiting: [Int]
  private var outage: SinkOutage?
  private var wasServerReached = false
  /// Those whose connection was gone once already.
  private var repeated: Set<Int> = []

  init(count: Int, concurrency: Int) {
    answers = Array(repeating: nil, count: count)
    waiting = (0..<count).reversed()
    self.concurrency = concurrency
  }

  /// The next one to begin; nil while as many as may be are under way. When nothing can be handed
  /// over no more are begun.
  mutating func next() -> Int? {
    guard outage == nil, underWay < concurrency, let index = waiting.popLast() else { return nil }
    underWay += 1
    return index
  }

  /// One that was begun is done with.
  mutating func settle(_ index: Int, _ answer: SinkAnswer) {
    underWay -= 1
    answers[index] = answer
  }

  mutating func finish(_ index: Int, _ receipt: MailReceipt, hiding secrets: Redaction) {
    if receipt.isOfStaleConnection, repeated.insert(index).inserted {
      underWay -= 1
      waiting.append(index)
      return
    }
    switch receipt.verdict(hiding: secrets) {
    case .answer(let answer):
      wasServerReached = true
      settle(index, answer)
    case .outage(let outage):
      self.outage = outage
      underWay -= 1
    }
  }

  /// An outage after some were handed over is theirs alone who were not.
  func result() throws(SinkOutage) -> [SinkAnswer] {
    if let outage, !wasServerReached { throw outage }
    let reason = outage?.description ?? "the mail server was not asked"
    return answers.map { $0 ?? .retry(after: nil, reason: reason) }
  }
}
