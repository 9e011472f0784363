package import Delivery
package import Reminders
package import Systemd

/// Carries out what the engine decides: batches to sinks, notes to the journal.
package final class EngineShell: EngineActions {
  private struct LaneShell {
    let sink: any Sink
    let executor: LaneExecutor
  }

  private let lanes: [LaneShell]
  private let inbox: Inbox
  private let reporter: NoteReporter

  package init(sinks: [any Sink], inbox: Inbox, journal: Journal) {
    lanes = sinks.map { LaneShell(sink: $0, executor: LaneExecutor(sink: $0.name)) }
    self.inbox = inbox
    reporter = NoteReporter(
      journal: journal, sinks: sinks.map(\.name).joined(separator: ","))
  }

  package func hand(_ deliveries: [Reminders.Delivery], toLane index: Int) {
    let lane = lanes[index]
    let inbox = inbox
    let reporter = reporter
    Task(executorPreference: lane.executor) {
      let result: Result<[SinkAnswer], SinkOutage>
      do throws(SinkOutage) {
        result = .success(try await lane.sink.deliver(deliveries))
      } catch {
        reporter.report(outage: error, of: lane.sink.name)
        result = .failure(error)
      }
      _ = inbox.post(.sinkAnswered(lane: index, result))
    }
  }

  package func report(_ notes: Notes) {
    reporter.report(notes)
  }
}
