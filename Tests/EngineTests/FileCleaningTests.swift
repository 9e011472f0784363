import CivilTime
import Store
import Synchronization
import Systemd
import Testing

@testable import Engine

/// Rule H4: a separate thread cleans the files.
@Suite struct FileCleaningTests {
  private let stage: Stage
  private let cleaner: ReportingCleaner

  init() throws {
    stage = try Stage(at: "2026-03-02 09:00")
    cleaner = try ReportingCleaner()
    stage.reply = nil
    let cleaner = cleaner
    try stage.core().maintenance.cleaning = FileCleaning(cleaner) { cleaner.hasResult.raise() }
  }

  private func erase(_ recipient: String) throws {
    try stage.take("relapse", of: recipient)
    try stage.take("recipient.deleted", of: recipient)
  }

  @Test func `H4: a cleaning that completed no erasure is repeated after a pause`() throws {
    defer { try? stage.core().endThreads() }
    try erase("amina")
    cleaner.hasResult.wait()
    for _ in 0..<10 { try stage.turn() }
    #expect(cleaner.steps == 1)
    #expect(try stage.core().maintenance.erasureRetry == stage.now + .minutes(1))
    cleaner.reportErasures(1)
    try stage.run(to: stage.now + .minutes(1))
    cleaner.hasResult.wait()
    try stage.turn()
    #expect(try !stage.core().store.isErasureOpen)
    #expect(try stage.core().maintenance.erasureRetry == nil)
    #expect(cleaner.steps == 2)
  }

  @Test func `H4: an erasure during a cleaning is cleaned at once`() throws {
    defer { try? stage.core().endThreads() }
    cleaner.reportErasures(1)
    try erase("amina")
    cleaner.hasResult.wait()
    cleaner.reportErasures(2)
    // The first result is read after the second erasure.
    try erase("bilal")
    cleaner.hasResult.wait()
    try stage.turn()
    #expect(try !stage.core().store.isErasureOpen)
    #expect(cleaner.steps == 2)
  }
}

/// A cleaner whose steps report as many cleaned erasures as a test sets.
private final class ReportingCleaner: StoreCleaner {
  private let state = Mutex((erasures: 0, steps: 0))
  /// Raised when a result is available.
  let hasResult: WakeFlag

  init() throws { hasResult = try WakeFlag() }

  var steps: Int { state.withLock(\.steps) }

  func reportErasures(_ erasures: Int) { state.withLock { $0.erasures = erasures } }

  func step() -> CleaningStep {
    state.withLock { state in
      state.steps += 1
      return .done(erasures: state.erasures)
    }
  }

  func abandon() {}
}
