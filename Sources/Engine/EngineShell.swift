package import Delivery
package import Reminders
package import Systemd

/// Carries out what the engine decides: batches to sinks, notes to the journal.
package final class EngineShell: EngineActions {
  private struct LaneShell {
    let sink: any Sink
    let executor: LaneExecutor
    let progress: ProgressHandle

    /// - Parameter ledger: keeps a row for the lane; it owes nothing while its sink has nothing.
    init(_ sink: any Sink, _ ledger: ProgressLedger) {
      self.sink = sink
      executor = LaneExecutor(sink: sink.name)
      progress = ledger.register(
        sink.name, allowance: ledger.allowance + (sink.patience ?? ledger.allowance),
        isVital: sink.patience != nil, at: .now)
      progress.idle(until: nil)
    }
  }

  private let lanes: [LaneShell]
  private let inbox: Inbox
  private let reporter: NoteReporter

  package init(
    sinks: [any Sink], inbox: Inbox, journal: Journal, ledger: ProgressLedger = ProgressLedger()
  ) {
    lanes = sinks.map { LaneShell($0, ledger) }
    self.inbox = inbox
    reporter = NoteReporter(
      journal: journal, sinks: sinks.map(\.name).joined(separator: ","))
  }

  package func hand(_ deliveries: [Reminders.Delivery], toLane index: Int) {
    let lane = lanes[index]
    let inbox = inbox
    let reporter = reporter
    lane.progress.expect(at: .now)
    Task(executorPreference: lane.executor) {
      let result: Result<[SinkAnswer], SinkOutage>
      do throws(SinkOutage) {
        result = .success(try await lane.sink.deliver(deliveries))
      } catch {
        reporter.report(outage: error, of: lane.sink.name)
        result = .failure(error)
      }
      lane.progress.idle(until: nil)
      _ = inbox.post(.sinkAnswered(lane: index, result))
    }
  }

  package func report(_ notes: Notes) {
    reporter.report(notes)
  }

  package func report(_ update: ZoneUpdate) {
    reporter.journal.send(.zoneDatabaseChanged, update.description)
  }
}
