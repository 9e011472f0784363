import CivilTime
import DeliverySamples
import Foundation
import JSON
import Outbox
import Reminders
import Sinks
import Testing

/// The sink with a program that keeps running.
@Suite struct PipeSinkTests {
  /// A sink and its program, whose directory exists as long as this value.
  private struct Bench {
    let sink: ProgramSink
    let program: Program
    let journal: CapturedJournal

    func deliver(_ deliveries: [Delivery]) async throws -> [SinkAnswer] {
      try await sink.deliver(deliveries)
    }

    /// The log entries except those about starts.
    func log() throws -> [String] {
      try journal.entries().filter { !$0.contains("program started") }
    }
  }

  /// The prelude of every program: `read`, `say`, `answer`, and the number of its start.
  private static let prelude = """
    import json, os, sys, time
    os.chdir(os.path.dirname(sys.argv[0]))
    open("starts", "a").write("x")
    start = os.path.getsize("starts")
    def note(what):
        with open("notes", "a") as file: file.write(what + "\\n")
    def read():
        line = sys.stdin.readline()
        if not line: sys.exit(0)
        delivery = json.loads(line)
        note("%d %s" % (start, delivery["id"]))
        return delivery
    def say(what): print(what, flush=True)
    def answer(delivery, outcome="delivered", **more):
        say(json.dumps({"id": delivery["id"], "outcome": outcome} | more))

    """

  private func bench(
    _ script: String, deadline: Duration = .seconds(15), concurrency: Int = 16
  ) throws -> Bench {
    let program = try Program(Self.prelude + script, .python)
    let journal = try CapturedJournal(in: program.directory)
    let settings = ProgramSettings(
      .pipe, command: program.command(), deadline: deadline, concurrency: concurrency,
      journal: journal.journal)
    return Bench(sink: try ProgramSink(settings), program: program, journal: journal)
  }

  @Test func `answers may come in any order`() async throws {
    let bench = try bench(
      """
      first, second, third = read(), read(), read()
      answer(third)
      answer(first, "retry", after=90, reason="the line is busy")
      answer(second, "rejected", reason="no such number", more=1)
      read()
      """)
    let answers = try await bench.deliver(Fixtures.deliveries(1...3))
    try #require(
      answers.map(\.verdict) == [
        .retry(after: .seconds(90), reason: "the line is busy"),
        .rejected(reason: "no such number"), .delivered,
      ])
    #expect(answers.map { $0.response?.status } == ["retry", "rejected", "delivered"])
    #expect(answers[1].response?.excerpt.contains("no such number") == true)
    #expect(try bench.log() == [])
  }

  @Test func `an answer may come in pieces`() async throws {
    let bench = try bench(
      """
      one, two = read(), read()
      text = "\\r\\n".join('{"id":"%s","outcome":"delivered"}' % each["id"] for each in (one, two))
      for character in text + "\\n": os.write(1, character.encode())
      read()
      """)
    let answers = try await bench.deliver(Fixtures.deliveries(1...2))
    #expect(answers.map(\.verdict) == [.delivered, .delivered])
    #expect(try bench.log() == [])
  }

  @Test func `the program keeps running`() async throws {
    let bench = try bench("while True: answer(read())")
    for number: Int64 in 1...3 {
      let answers = try await bench.deliver([Fixtures.delivery(number)])
      #expect(answers.map(\.verdict) == [.delivered])
    }
    #expect(bench.program.lines(of: "notes") == ["1 store-1", "1 store-2", "1 store-3"])
  }

  @Test func `lines that are no answers are logged`() async throws {
    let bench = try bench(
      """
      one = read()
      say("hello")
      say('{"outcome":"delivered"}')
      say('{"id":"store-1","outcome":"done"}')
      say('{"id":"store-1","outcome":"retry","after":-1}')
      say('{"id":"elsewhere","outcome":"delivered"}')
      say("x" * 70000)
      answer(one)
      answer(one)
      answer(read())
      read()
      """, concurrency: 1)
    let answers = try await bench.deliver(Fixtures.deliveries(1...2))
    #expect(answers.map(\.verdict) == [.delivered, .delivered])
    let prefix = "warning: the sink pipe: an output line is not a valid answer: "
    let logLines = try bench.log().map {
      $0.dropFirst(prefix.count).replacing(" CHIME_SINK=pipe", with: "")
    }
    #expect(try bench.log().filter { !$0.hasPrefix(prefix) } == [])
    #expect(logLines.first?.hasPrefix("it is not JSON: ") == true)
    #expect(
      Array(logLines.dropFirst()) == [
        "it has no \"id\" that is a text",
        "its \"outcome\" must be delivered, retry or rejected",
        "its \"after\" is not a number of seconds from 0 to 2592000",
        "its \"id\" matches no delivery that waits for an answer",
        "it is longer than 65536 bytes",
        "its \"id\" is of a delivery that is already answered",
      ])
  }

  @Test func `deliveries of a dead program go to its next start under the same ids`() async throws {
    let bench = try bench(
      """
      one = read()
      if start == 1:
          answer(one); read(); read(); sys.exit(3)
      answer(one)
      while True: answer(read())
      """)
    let answers = try await bench.deliver(Fixtures.deliveries(1...6))
    #expect(answers.filter { !$0.isDelivered } == [])
    let notes = bench.program.lines(of: "notes")
    #expect(notes.prefix(5) == ["1 store-1", "1 store-2", "1 store-3", "2 store-2", "2 store-3"])
    #expect(notes.dropFirst(5).sorted() == (4...6).map { "2 store-\($0)" })
    #expect(
      try bench.log().first?.contains("it ended with exit 3; it restarts in") == true)
  }

  @Test func `a delivery that kills its programs delays no other`() async throws {
    let bench = try bench(
      """
      while True:
          one = read()
          if one["id"] == "store-3": os.kill(os.getpid(), 9)
          answer(one)
      """)
    let answers = try await bench.deliver(Fixtures.deliveries(1...6))
    try #require(answers.map(\.isDelivered) == [true, true, false, true, true, true])
    #expect(
      answers[2].verdict
        == .retry(after: nil, reason: "with this delivery, it ended with signal 9"))
  }

  @Test func `a program that always ends early is an outage`() async throws {
    let bench = try bench("sys.exit(2)")
    let outage = await #expect(throws: SinkOutage.self) {
      try await bench.deliver(Fixtures.deliveries(1...5))
    }
    #expect(outage?.description == "it ended with exit 2")
  }

  @Test func `D3: in an outage of the program no delivery uses up an attempt`() async throws {
    let bench = try bench("read()")
    let progress = BatchProgress(count: 5)
    await #expect(throws: SinkOutage.self) {
      try await bench.sink.deliver(Fixtures.deliveries(1...5), progress)
    }
    #expect(progress.answers.map(\.?.verdict) == Array(repeating: nil, count: 5))
  }

  @Test func `D1: a delivery that kills its programs is reported when another is answered`()
    async throws
  {
    let bench = try bench(
      """
      while True:
          one = read()
          if one["id"] == "store-1": os.kill(os.getpid(), 9)
          answer(one)
      """)
    let progress = BatchProgress(count: 2)
    let answers = try await bench.sink.deliver(Fixtures.deliveries(1...2), progress)
    #expect(answers.map(\.isDelivered) == [false, true])
    #expect(progress.answers == answers)
  }

  @Test(arguments: [
    "time.sleep(1000)", "while True: read()", "sys.stdout.close(); os.close(1); time.sleep(1000)",
  ])
  func `a program that never answers is replaced`(behaviour: String) async throws {
    let bench = try bench(
      """
      if start == 1:
          tether = open("tether", "w")
          \(behaviour)
      while True: answer(read())
      """,
      deadline: .seconds(2), concurrency: 8)
    let tether = try Tether(in: bench.program.directory)
    let body = String(repeating: "long ", count: 40_000)
    let batch = (1...4).map { Fixtures.delivery($0, body: body) }
    let answers = try await bench.deliver(batch)
    let expected = SinkAnswer.Verdict.retry(
      after: nil, reason: "the program did not answer within 2s")
    let isClosed = behaviour.contains("close")
    #expect(answers.map(\.verdict) == batch.map { _ in isClosed ? .delivered : expected })
    #expect(await tether.waitUntilReleased())
    #expect(try await bench.deliver(batch).map(\.verdict) == batch.map { _ in .delivered })
  }

  @Test func `a flood of lines ends the program`() async throws {
    let bench = try bench(
      """
      one = read()
      while start == 1: say("babble")
      answer(one)
      while True: answer(read())
      """)
    let answers = try await bench.deliver(Fixtures.deliveries(1...3))
    #expect(answers.filter { !$0.isDelivered } == [])
    let logLines = try bench.log()
    #expect(logLines.count < 110)
    #expect(logLines.contains { $0.contains("it wrote 1000 lines that were not answers") })
    #expect(logLines.contains { $0.contains("lines of the answers were left out") })
  }

  @Test func `standard error is logged within limits`() async throws {
    let bench = try bench(
      """
      one = read()
      print("first\\x1b[31m", file=sys.stderr)
      for number in range(500): print("line", number, file=sys.stderr)
      print("unfinished", end="", file=sys.stderr, flush=True)
      answer(one)
      read()
      """)
    _ = try await bench.deliver([Fixtures.delivery(1)])
    await bench.sink.stop()
    let logLines = try bench.log()
    #expect(logLines.first == "notice: the sink pipe: stderr: first\\u{1B}[31m CHIME_SINK=pipe")
    let loggedCount = logLines.count { $0.contains("stderr: ") }
    let omittedCounts = logLines.filter { $0.contains("lines of standard error were left out") }
      .compactMap { Int($0.split(separator: " ")[4]) }
    #expect(loggedCount >= 100 && loggedCount < 300)
    #expect(loggedCount + omittedCounts.reduce(0, +) == 502)
  }

  @Test(arguments: ["", "signal.signal(signal.SIGTERM, signal.SIG_IGN)"])
  func `a stop closes standard input first`(signalHandling: String) async throws {
    let ignoresSignal = !signalHandling.isEmpty
    let bench = try bench(
      """
      import signal
      \(signalHandling)
      tether = open("tether", "w")
      answer(read())
      sys.stdin.read()
      while \(ignoresSignal ? "True" : "False"): time.sleep(1000)
      note("good-bye")
      """)
    let tether = try Tether(in: bench.program.directory)
    #expect(try await bench.deliver([Fixtures.delivery(1)]).map(\.verdict) == [.delivered])
    await bench.sink.stop()
    #expect(await tether.waitUntilReleased())
    #expect(bench.program.lines(of: "notes") == ["1 store-1"] + (ignoresSignal ? [] : ["good-bye"]))
    await #expect(throws: SinkOutage.self) { try await bench.deliver([Fixtures.delivery(2)]) }
  }

  @Test func `deliveries of one id on two channels are sent one after another`() async throws {
    let bench = try bench(
      """
      one, two = read(), read()
      answer(one, reason=one["channel"]); answer(two)
      three = read()
      answer(three, "rejected", reason=three["channel"])
      read()
      """)
    let answers = try await bench.deliver([
      Fixtures.delivery(1, .push), Fixtures.delivery(1, .email), Fixtures.delivery(2),
    ])
    #expect(
      answers.map(\.verdict) == [.delivered, .rejected(reason: "email"), .delivered])
  }

  @Test func `a missing program is an outage`() async throws {
    let bench = try bench("")
    try bench.program.removeFile()
    let outage = await #expect(throws: SinkOutage.self) {
      try await bench.deliver([Fixtures.delivery(1)])
    }
    #expect(outage?.description.hasPrefix("cannot start \(bench.program.path): ") == true)
  }

  @Test func `the program ends with its sink`() async throws {
    let program = try Program(
      Self.prelude + "tether = open('tether', 'w')\nwhile True: answer(read())", .python)
    let tether = try Tether(in: program.directory)
    let journal = try CapturedJournal(in: program.directory)
    do {
      let sink = try ProgramSink(
        ProgramSettings(.pipe, command: program.command(), journal: journal.journal))
      #expect(try await sink.deliver([Fixtures.delivery(1)]).map(\.verdict) == [.delivered])
    }
    #expect(await tether.waitUntilReleased())
  }

  /// Whatever the program does, each delivery has one answer. The answer is `delivered` only if the
  /// program has answered so.
  @Test func `a program with random behaviour loses no delivery`() async throws {
    let seed =
      Int(ProcessInfo.processInfo.environment["CHIMED_SEED"] ?? "") ?? .random(in: 0...9_999)
    print("a program with random behaviour; to repeat it: CHIMED_SEED=\(seed)")
    let bench = try bench(
      """
      import random, select
      random.seed(\(seed) * 1000 + start)
      kept = []
      def finish(one):
          note("done " + one["id"])
          answer(one)
          if random.random() < 0.1: answer(one)
      while True:
          kept.append(read())
          chance = random.random()
          if chance < 0.08: sys.exit(random.choice([0, 1, 75]))
          if chance < 0.2: say(random.choice(["babble", "{}", "", '{"id":1}', "\\u2028"]))
          if chance < 0.3: answer(kept.pop(0), "retry", reason="later")
          random.shuffle(kept)
          isIdle = not select.select([0], [], [], 0.01)[0]
          while kept and (isIdle or len(kept) > 3): finish(kept.pop())
      """)
    var rest = Fixtures.deliveries(1...40)
    var rounds = 0
    while !rest.isEmpty, rounds < 20 {
      let answers = try await bench.deliver(rest)
      try #require(answers.count == rest.count)
      let finished = Set(bench.program.lines(of: "notes"))
      for (delivery, answer) in zip(rest, answers) where answer.isDelivered {
        #expect(finished.contains("done " + delivery.identifier))
      }
      rest = zip(rest, answers).filter { !$1.isDelivered }.map(\.0)
      rounds += 1
    }
    #expect(rest.map(\.identifier) == [], "seed \(seed)")
  }
}
