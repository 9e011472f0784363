import CivilTime
import DeliverySamples
import Outbox
import Reminders
import Sinks
import Testing

/// The contract of every sink (rules D1, D2).
@Suite struct SinkConformanceTests {
  @Test(.enabled(if: SinkCase.isComplete)) func `every type of sink has a case`() {
    let types = Set(SinkTypes.all.map { $0.type }).subtracting([StreamConfiguration.type])
    #expect(Set(SinkCase.all.map(\.name)) == types)
  }

  @Test(arguments: SinkCase.all)
  func `every sink returns its type`(_ sinkCase: SinkCase) async throws {
    #expect(try await SinkTrial(sinkCase).sink.type == sinkCase.name)
  }

  @Test(arguments: SinkCase.all)
  func `every delivery has an answer and arrives`(_ sinkCase: SinkCase) async throws {
    let trial = try await SinkTrial(sinkCase)
    for batch: ClosedRange<Int64> in [1...1, 2...4, 5...29] {
      let answers = try await trial.deliver(Fixtures.deliveries(batch))
      #expect(answers.map(\.verdict) == batch.map { _ in .delivered })
    }
    #expect(
      try await trial.arrivedIdentifiers().sorted() == (1...29).map { "store-\($0)" }.sorted())
  }

  @Test(arguments: SinkCase.all)
  func `an empty batch has no answers`(_ sinkCase: SinkCase) async throws {
    let trial = try await SinkTrial(sinkCase)
    #expect(try await trial.deliver([]) == [])
    _ = try await trial.deliver([Fixtures.delivery(1)])
    #expect(try await trial.deliver([]) == [])
    #expect(try await trial.arrivedIdentifiers() == ["store-1"])
  }

  @Test(arguments: SinkCase.all)
  func `D1: a repeated delivery has the same identifier`(_ sinkCase: SinkCase) async throws {
    let trial = try await SinkTrial(sinkCase)
    for _ in 0..<2 { _ = try await trial.deliver([Fixtures.delivery(7)]) }
    #expect(try await trial.arrivedIdentifiers() == ["store-7", "store-7"])
  }

  @Test(arguments: SinkCase.all)
  func `texts arrive unchanged`(_ sinkCase: SinkCase) async throws {
    let trial = try await SinkTrial(sinkCase)
    let deliveries = zip(Int64(1)..., Self.texts).map { number, text in
      Fixtures.delivery(number, title: "Note \(number)", body: text)
    }
    let titles = zip(Int64(100)..., Self.texts).map { number, text in
      Fixtures.delivery(number, title: text, body: "Body.")
    }
    let answers = try await trial.deliver(deliveries + titles)
    #expect(answers.filter { !$0.isDelivered } == [])
    let receivedTexts = Dictionary(
      try await trial.peer.received().map { ($0.identifier, $0.text) }, uniquingKeysWith: { $1 })
    for delivery in deliveries + titles {
      let text = try #require(
        receivedTexts[delivery.identifier], "\(delivery.body.debugDescription)")
      #expect(text.utf8.elementsEqual(trial.peer.text(of: delivery).utf8))
    }
  }

  @Test(arguments: SinkCase.all)
  func `a silent delivery and one at its expiry arrive`(_ sinkCase: SinkCase) async throws {
    let trial = try await SinkTrial(sinkCase)
    var silent = Fixtures.delivery(1)
    silent.isSilent = true
    var expiring = Fixtures.delivery(2)
    expiring.expiry = Fixtures.noon
    var lasting = Fixtures.delivery(3)
    lasting.expiry = Fixtures.noon + .days(3_000)
    let answers = try await trial.deliver([silent, expiring, lasting])
    #expect(answers.map(\.verdict) == [.delivered, .delivered, .delivered])
    #expect(try await trial.arrivedIdentifiers().sorted() == ["store-1", "store-2", "store-3"])
  }

  @Test(arguments: SinkCase.all)
  func `a thousand deliveries arrive once each`(_ sinkCase: SinkCase) async throws {
    let trial = try await SinkTrial(sinkCase)
    let deliveries = Fixtures.deliveries(1...1_000)
    let answers = try await trial.deliver(deliveries)
    #expect(answers.filter(\.isDelivered).count == 1_000)
    let arrived = try await trial.arrivedIdentifiers()
    let expected = deliveries.map(\.identifier)
    if sinkCase.traits.contains(.ordered) {
      #expect(arrived == expected)
    } else {
      #expect(arrived.sorted() == expected.sorted())
    }
  }

  @Test(arguments: SinkCase.all(with: .refuses))
  func `D2: a rejection is the answer to one delivery alone`(_ sinkCase: SinkCase) async throws {
    let trial = try await SinkTrial(sinkCase)
    try await trial.peer.refuse("store-3")
    let answers = try await trial.deliver(Fixtures.deliveries(1...6))
    try #require(answers.map(\.isDelivered) == [true, true, false, true, true, true])
    guard case .rejected(let reason) = answers[2].verdict else {
      Issue.record("\(answers[2].verdict)")
      return
    }
    #expect(!reason.isEmpty)
  }

  @Test(arguments: SinkCase.all(with: .disconnects))
  func `D3: an absent service is an outage until it is back`(_ sinkCase: SinkCase) async throws {
    let trial = try await SinkTrial(sinkCase)
    let first = try await trial.deliver(Fixtures.deliveries(1...3))
    #expect(first.map(\.verdict) == [.delivered, .delivered, .delivered])
    try await trial.peer.disconnect()
    for _ in 0..<2 {
      let outage = await #expect(throws: SinkOutage.self) {
        try await trial.deliver(Fixtures.deliveries(4...6))
      }
      #expect(outage?.description.isEmpty == false)
    }
    try await trial.peer.reconnect()
    let last = try await trial.deliver(Fixtures.deliveries(4...6))
    #expect(last.map(\.verdict) == [.delivered, .delivered, .delivered])
    #expect(Set(try await trial.arrivedIdentifiers()).isSuperset(of: (4...6).map { "store-\($0)" }))
  }

  @Test(arguments: SinkCase.all(with: .stalls))
  func `D3: a silent service is given up at the deadline`(_ sinkCase: SinkCase) async throws {
    let trial = try await SinkTrial(sinkCase, deadline: .milliseconds(300))
    try await trial.peer.stall()
    var answers: [SinkAnswer] = []
    let time = await ContinuousClock().measure {
      answers = (try? await trial.deliver(Fixtures.deliveries(1...2))) ?? []
    }
    #expect(time < .seconds(60))
    let others = answers.filter { if case .retry = $0.verdict { false } else { true } }
    #expect(others == [])
  }

  @Test(arguments: SinkCase.all)
  func `a reload disturbs no delivery`(_ sinkCase: SinkCase) async throws {
    let trial = try await SinkTrial(sinkCase)
    for number: Int64 in 1...3 {
      #expect(try await trial.deliver([Fixtures.delivery(number)]).map(\.verdict) == [.delivered])
      try trial.sink.prepareForReload()
    }
    #expect(try await trial.arrivedIdentifiers() == ["store-1", "store-2", "store-3"])
  }

  /// Errors, logs and descriptions contain no secret.
  @Test(arguments: SinkCase.all)
  func `S3: no secret is logged or returned`(_ sinkCase: SinkCase) async throws {
    let trial = try await SinkTrial(sinkCase, deadline: .milliseconds(500))
    if sinkCase.traits.contains(.refuses) { try await trial.peer.refuse("store-2") }
    var output = "\(trial.sink)"
    output += await outcomeText(trial, Fixtures.deliveries(1...3))
    if sinkCase.traits.contains(.disconnects) {
      try await trial.peer.disconnect()
      output += await outcomeText(trial, Fixtures.deliveries(4...5))
      try await trial.peer.reconnect()
    }
    if sinkCase.traits.contains(.stalls) {
      try await trial.peer.stall()
      output += await outcomeText(trial, Fixtures.deliveries(6...7))
    }
    output += try trial.log()
    for secret in trial.peer.secrets { #expect(!output.contains(secret)) }
  }

  /// Returns the answers or the error as text.
  private func outcomeText(_ trial: SinkTrial, _ deliveries: [Delivery]) async -> String {
    do { return "\(try await trial.deliver(deliveries))" } catch { return "\(error)" }
  }

  private static let texts = [
    "سجّل يومك", "Ärger mit Öl", "日本語の通知 🕌👩‍👩‍👧‍👦", "e\u{301} and é", "\u{202E}right to left",
    "a \"quote\", a \\ and a /", "one\ntwo\r\nthree", "tab\there",
    "bell \u{7} and escape \u{1B}[31m",
    "zero \u{0} and delete \u{7F}", "<b>bold</b> & more", "{{name}} %s $HOME `id` ; rm", "",
    " spaces around ", "\u{2028}separator", String(repeating: "long ", count: 400),
  ]
}
