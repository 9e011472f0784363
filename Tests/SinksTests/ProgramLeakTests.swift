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
  private static func openFileCount() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
  }

  @Test func `started programs leave no file open`() async {
    await #expect(processExitsWith: .success) {
      let program = try Program("id=${CHIMED_DELIVERY%-push}; exit $((${id#store-} % 2 * 75))")
      let initialCount = try Self.openFileCount()
      do {
        let sink = try ProgramSink(
          ProgramSettings(.exec, command: program.command(), journal: Journal(.lines(2))))
        _ = try await sink.deliver(Fixtures.deliveries(1...30))
        let countWithSink = try Self.openFileCount()
        _ = try await sink.deliver(Fixtures.deliveries(1...100))
        #expect(try Self.openFileCount() == countWithSink)
      }
      #expect(try Self.openFileCount() == initialCount)
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
      let initialCount = try Self.openFileCount()
      do {
        let sink = try ProgramSink(
          ProgramSettings(.pipe, command: program.command(), journal: journal.journal))
        for _ in 0..<3 { _ = try? await sink.deliver(Fixtures.deliveries(1...3)) }
        await sink.stop()
      }
      #expect(try Self.openFileCount() == initialCount)
      #expect(try journal.entries().filter { $0.contains("program started") }.count >= 3)
    }
  }
}
