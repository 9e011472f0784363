import CivilTime
import Glibc
import JSON

/// One state directory through many lives of the service, and one receiver of webhooks that
/// outlasts them all and acts once on each id.
final class HookSiege {
  private(set) var ledger = Ledger()
  private(set) var effects = Effects()
  /// How many lives began with deliveries that the one before had left open.
  private(set) var orphanings = 0
  private let hook: HookPeer
  private let stage: DeliveryStage
  private var random: SplitMix64

  init(seed: UInt64) throws {
    random = SplitMix64(seed: seed)
    hook = try HookPeer()
    stage = try DeliveryStage(
      ["hook": hook.sink], routes: "{push: hook}", secrets: HookPeer.secrets)
  }

  /// Lets a service live until a moment, and kills it.
  func live(until moment: Moment) throws -> ChildProcess.Ending {
    let life = try begin()
    while !moment.isReached(life.counts) {
      if life.senders.isEmpty && life.service.isReady { try connect(life) }
      for sender in life.senders where sender.isIdle { sender.begin(someEvents(), &ledger) }
      try turn(life)
      if life.service.hasEnded { throw Failure("the service has ended:\n\(life.service.log)") }
    }
    life.service.process.send(SIGKILL)
    return try end(life)
  }

  /// Lets a service live until every event is answered for and has had its effect.
  func settle() throws -> ChildProcess.Ending {
    let life = try begin()
    try life.service.waitUntilReady()
    try connect(life)
    while !ledger.isEverythingAnswered || effects.count < ledger.count {
      for sender in life.senders where sender.isIdle {
        let numbers = (0..<100).compactMap { _ in ledger.takeUnanswered() }
        if !numbers.isEmpty { sender.begin(numbers, &ledger) }
      }
      do {
        try turn(life)
      } catch is Poll.NothingHappened {
        break
      }
    }
    life.service.process.send(SIGTERM)
    return try end(life)
  }

  // MARK: - One life

  private final class Life {
    let service: Service
    let watch: FileWatch
    var senders: [Sender] = []
    var counts = Moment.Counts()

    init(_ service: Service, _ watch: FileWatch) {
      self.service = service
      self.watch = watch
    }
  }

  private func begin() throws -> Life {
    ledger.beginLife()
    let watch = try FileWatch(stage.workspace.state)
    return Life(try stage.launch(), watch)
  }

  private func connect(_ life: Life) throws {
    life.senders = try (0..<2).map { _ in try Sender(to: stage.workspace.socket) }
  }

  /// Some of them such as were sent before without an answer.
  private func someEvents() -> [Int] {
    (0..<Int.random(in: 1...60, using: &random)).map { _ in
      if Bool.random(using: &random), let number = ledger.takeUnanswered() { return number }
      return ledger.compose { Report.note("e\($0)", to: "r\($0 % 500)") }
    }
  }

  private func turn(_ life: Life) throws {
    try exchange(life, others: [life.watch.descriptor])
    life.watch.read()
    life.counts.changes = life.watch.count
    life.counts.isReady = life.service.isReady
  }

  private func exchange(_ life: Life, others: [Int32] = []) throws {
    for sender in life.senders { life.counts.bytesSent += sender.connection.send(upTo: 4_096) }
    try life.service.turn(
      life.senders.map(\.connection), others: others + [hook.peer.descriptor])
    for sender in life.senders { life.counts.acknowledgements += try sender.receive(&ledger) }
    for line in try hook.peer.lines() {
      effects.enter(line)
      life.counts.deliveries += 1
    }
  }

  private func end(_ life: Life) throws -> ChildProcess.Ending {
    while !life.service.hasEnded { try exchange(life) }
    for sender in life.senders {
      while !sender.connection.isClosed { _ = try sender.receive(&ledger) }
      sender.giveUp(&ledger)
    }
    if life.service.log.contains("that it never answered for") { orphanings += 1 }
    return try life.service.process.finish()
  }
}

/// What a receiver has done, by the titles of what it was told.
struct Effects {
  /// What must not be, in words.
  private(set) var violations: [String] = []
  /// How often it was told what it had acted on.
  private(set) var repetitions = 0
  private var identifiers: [String: String] = [:]

  var count: Int { identifiers.count }

  func contains(_ title: String) -> Bool { identifiers[title] != nil }

  mutating func enter(_ line: JSONValue) {
    guard let event = line["event"], let identifier = event["id"]?.stringValue,
      let title = event["data"]?["title"]?.stringValue
    else { return violations.append("a request that is not as it should be: \(line)") }
    let known = identifiers[title]
    if line["acted"] != true { repetitions += 1 }
    if let known, line["acted"] == true {
      violations.append("\(title) had its effect twice, as \(known) and as \(identifier)")
    }
    if known == nil, line["acted"] != true {
      violations.append("\(title) came under an id that was another's: \(identifier)")
    }
    identifiers[title] = identifier
  }
}
