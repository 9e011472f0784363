import CivilTime
import DeliverySamples
import Foundation
import JSON
import Outbox
import Reminders
import Sinks
import Systemd
import TestSupport
import Testing

/// The sink that starts a program for each delivery.
@Suite struct ExecSinkTests {
  /// A sink and its program, whose directory exists as long as this value.
  private struct Bench {
    let sink: ProgramSink
    let program: Program

    func deliver(_ deliveries: [Delivery]) async throws -> [SinkAnswer] {
      try await sink.deliver(deliveries)
    }
  }

  private func bench(
    _ script: String, deadline: Duration = .seconds(15), concurrency: Int = 4,
    environment: [String] = [], serviceEnvironment: [String: String] = [:]
  ) throws -> Bench {
    let program = try Program("cd \"${0%/*}\"\n" + script)
    let settings = ProgramSettings(
      .exec, command: program.command(environment: environment), deadline: deadline,
      concurrency: concurrency, environment: serviceEnvironment, journal: Journal(.lines(2)))
    return Bench(sink: try ProgramSink(settings), program: program)
  }

  /// Returns the answer of a program to one delivery.
  private func answer(
    to script: String, environment: [String] = [], serviceEnvironment: [String: String] = [:]
  ) async throws -> SinkAnswer {
    let bench = try bench(script, environment: environment, serviceEnvironment: serviceEnvironment)
    return try #require(try await bench.deliver([Fixtures.delivery(7)]).first)
  }

  @Test func `the delivery is on standard input and nowhere else`() async throws {
    let bench = try bench("cat > input; tr '\\0' ' ' < /proc/$$/cmdline > arguments")
    let delivery = Fixtures.delivery(7, .email, title: "Day 1", body: "a\nb")
    #expect(try await bench.deliver([delivery]).map(\.verdict) == [.delivered])
    let input = try JSONParser.parse(bench.program.directory.text(of: "input"))
    #expect(input["id"] == "store-7" && input["body"] == "a\nb" && input["channel"] == "email")
    #expect(
      try bench.program.directory.text(of: "arguments")
        == "\(bench.program.path) \(bench.program.directory.path)/script ")
  }

  @Test func `the environment has only the configured variables`() async throws {
    let serviceEnvironment = [
      "PATH": "/bin:/usr/bin", "NOTIFY_SOCKET": "/run/notify", "LISTEN_FDS": "1",
      "CREDENTIALS_DIRECTORY": "/run/credentials", "HOME": "/root", "PET": "cat",
    ]
    let answer = try await answer(
      to: "tr '\\0' ' ' < /proc/$$/environ", environment: ["PET", "A=b=c", "GONE"],
      serviceEnvironment: serviceEnvironment)
    #expect(
      answer.response?.excerpt
        == "A=b=c CHIMED_DELIVERY=store-7-push LANG=C.UTF-8 PATH=/bin:/usr/bin PET=cat ")
  }

  @Test func `the program has only its three streams open`() async throws {
    let program = ProgramCommand(
      "/bin/sh",
      ["-c", "for n in 0 1 2 3 4 5 6 7 8 9; do [ ! -e /proc/$$/fd/$n ] || echo $n; done"])
    let settings = ProgramSettings(.exec, command: program, journal: Journal(.lines(2)))
    let answers = try await ProgramSink(settings).deliver([Fixtures.delivery(1)])
    #expect(answers.first?.response?.excerpt == "0 1 2 ")
  }

  @Test func `the program has its own session and limits`() async throws {
    let answer = try await answer(
      to: """
        read -r process name state parent group session rest < /proc/$$/stat
        [ "$process $process" = "$group $session" ] && echo leads
        echo $(ulimit -c) $(ulimit -n) $(ulimit -t); pwd -P; trap
        """)
    #expect(answer.response?.excerpt.hasPrefix("leads 0 1024 15 /") == true)
  }

  @Test func `signals have their default actions`() async throws {
    // The shell reads the masks itself, because it blocks signals while it starts another program.
    let answer = try await answer(
      to: """
        while read -r name set; do
          case $name in SigBlk:|SigIgn:) echo "$set" ;; esac
        done < /proc/$$/status
        """)
    let words = try #require(answer.response?.excerpt).split { $0 == "\t" || $0 == " " }
    let sets = words.compactMap { UInt64($0, radix: 16) }
    // The C library reserves two signals, which no program can set.
    let settable = ~UInt64(0b11 << 31)
    #expect(sets.map { $0 & settable } == [0, 0])
  }

  @Test(arguments: [0, 1, 2, 64, 65, 66, 67, 68, 69, 70, 75, 77, 78, 127, 255])
  func `D2: the exit status is the answer`(code: Int) async throws {
    let answer = try await answer(to: "echo said $CHIMED_DELIVERY; exit \(code)")
    #expect(answer.response?.status == "exit \(code)")
    #expect(answer.response?.excerpt == "said store-7-push ")
    switch answer.verdict {
    case .delivered: #expect(code == 0)
    case .rejected(let reason):
      #expect([65, 67, 68, 77].contains(code))
      #expect(reason.hasPrefix("exit \(code): "))
    case .retry(let after, let reason):
      #expect(![0, 65, 67, 68, 77].contains(code) && after == nil)
      #expect(reason.hasPrefix("exit \(code): "))
    }
  }

  @Test func `a killed program is reported with its signal and retried`() async throws {
    let answer = try await answer(to: "kill -KILL $$")
    #expect(answer.verdict == .retry(after: nil, reason: "signal 9: Killed"))
  }

  @Test func `a long output is accepted`() async throws {
    let answer = try await answer(to: "yes | head -c 1000000 > much; exec cat much")
    #expect(answer.verdict == .delivered)
    #expect(answer.response?.excerpt.hasPrefix("y y y ") == true)
  }

  @Test func `an endless program is ended at the deadline and delays no other`() async throws {
    let bench = try bench(
      "case $CHIMED_DELIVERY in store-1-*) exec yes;; esac", deadline: .milliseconds(500))
    let answers = try await bench.deliver(Fixtures.deliveries(1...3))
    let late = SinkAnswer.Verdict.retry(after: nil, reason: "the program took longer than 500ms")
    #expect(answers.map(\.verdict) == [late, .delivered, .delivered])
  }

  @Test(arguments: ["", "trap '' TERM;"])
  func `at the deadline the program ends with all its children`(trap: String) async throws {
    let bench = try bench(
      trap + "sh -c \"\(trap) echo >&3; sleep 1000; sleep 1000\" 3> tether & wait; wait",
      deadline: .seconds(1))
    let tether = try Tether(in: bench.program.directory)
    let answers = try await bench.deliver([Fixtures.delivery(1)])
    #expect(
      answers.map(\.verdict) == [.retry(after: nil, reason: "the program took longer than 1s")])
    #expect(await tether.waitUntilHeld())
    #expect(await tether.waitUntilReleased())
  }

  @Test func `processes that the program leaves behind are ended with it`() async throws {
    let bench = try bench("exec 3> tether; sleep 1000 & exit 0")
    let tether = try Tether(in: bench.program.directory)
    #expect(try await bench.deliver([Fixtures.delivery(1)]).map(\.verdict) == [.delivered])
    #expect(await tether.waitUntilReleased())
  }

  @Test(arguments: [(1, false), (2, true)])
  func `the configured number of programs run at once`(concurrency: Int, canMeet: Bool) async throws
  {
    let bench = try bench(
      "if mkdir first; then read x < meeting; else echo > meeting; fi",
      deadline: .milliseconds(canMeet ? 15_000 : 300), concurrency: concurrency)
    try #require(mkfifo(bench.program.directory.path + "/meeting", 0o600) == 0)
    let answers = try await bench.deliver(
      [Fixtures.delivery(1)] + (canMeet ? [Fixtures.delivery(2)] : []))
    #expect(answers.filter(\.isDelivered).count == (canMeet ? 2 : 0))
  }

  @Test(arguments: ["/nowhere/program", "/etc/passwd", "/tmp"])
  func `a program that cannot be started is an outage`(path: String) async throws {
    let sink = try ProgramSink(
      ProgramSettings(.exec, command: ProgramCommand(path), journal: Journal(.lines(2))))
    let outage = await #expect(throws: SinkOutage.self) {
      try await sink.deliver(Fixtures.deliveries(1...3))
    }
    #expect(outage?.description.hasPrefix("cannot start \(path): ") == true)
  }

  @Test func `no zombie process remains`() async throws {
    let bench = try bench("echo $$")
    let answers = try await bench.deliver(Fixtures.deliveries(1...20))
    let processes = answers.compactMap { $0.response?.excerpt.split(separator: " ").first }
    #expect(processes.count == 20)
    #expect(processes.filter { access("/proc/\($0)", F_OK) == 0 } == [])
  }

  @Test func `other child processes are left to their parents`() async throws {
    let other = try Process.run(URL(filePath: "/bin/sh"), arguments: ["-c", "exit 3"])
    let bench = try bench("exit 0")
    #expect(try await bench.deliver(Fixtures.deliveries(1...8)).count == 8)
    other.waitUntilExit()
    #expect(other.terminationStatus == 3)
  }

  @Test func `a stop ends running programs and answers their deliveries`() async throws {
    let bench = try bench("exec 3> tether; echo >&3; exec sleep 1000", concurrency: 1)
    let tether = try Tether(in: bench.program.directory)
    let sink = bench.sink
    async let answers = sink.deliver(Fixtures.deliveries(1...2))
    #expect(await tether.waitUntilHeld())
    await sink.stop()
    #expect(await tether.waitUntilReleased())
    let reasons = try await answers.map(\.verdict)
    #expect(
      reasons == [
        .retry(after: nil, reason: "the service stopped while the program was running"),
        .retry(
          after: .seconds(5), reason: "the service stopped before the program was started"),
      ])
    await #expect(throws: SinkOutage.self) { try await bench.deliver([Fixtures.delivery(3)]) }
  }

  @Test func `a released sink is deallocated`() async throws {
    weak var weakSink: ProgramSink?
    do {
      let bench = try bench("exit 0")
      weakSink = bench.sink
      #expect(try await bench.deliver([Fixtures.delivery(1)]).map(\.verdict) == [.delivered])
    }
    #expect(weakSink == nil)
  }
}
