import DeliverySamples
import Foundation
import Outbox
import Reminders
import Sinks
import Systemd
import TestSupport
import Testing

/// Sinks that start programs leave no file open. Each test runs in its own process, where no other
/// test opens files or starts threads.
@Suite struct ProgramLeakTests {
  private static func count(_ what: String) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/" + what).count
  }

  @Test func `started programs leave no file open`() async {
    await #expect(processExitsWith: .success) {
      let program = try Program("id=${CHIMED_DELIVERY%-push}; exit $((${id#store-} % 2 * 75))")
      let before = try Self.count("fd")
      do {
        let sink = try ProgramSink(
          ProgramSettings(.exec, command: program.command(), journal: Journal(.lines(2))))
        _ = try await sink.deliver(Fixtures.deliveries(1...30))
        let during = try Self.count("fd")
        _ = try await sink.deliver(Fixtures.deliveries(1...100))
        #expect(try Self.count("fd") == during)
      }
      #expect(try Self.count("fd") == before)
    }
  }

  @Test func `programs that end early leave no file open`() async {
    await #expect(processExitsWith: .success) {
      let program = try Program(
        """
        read line
        id=${line#*'"id":"'}
        printf '{"id":"%s","outcome":"delivered"}\\n' "${id%%'"'*}"
        """)
      let directory = try TemporaryDirectory()
      let journal = try CapturedJournal(in: directory)
      let before = try Self.count("fd")
      do {
        let sink = try ProgramSink(
          ProgramSettings(.pipe, command: program.command(), journal: journal.journal))
        for _ in 0..<3 { _ = try? await sink.deliver(Fixtures.deliveries(1...3)) }
        await sink.stop()
      }
      #expect(try Self.count("fd") == before)
      #expect(try journal.entries().filter { $0.contains("program started") }.count >= 3)
    }
  }
}
