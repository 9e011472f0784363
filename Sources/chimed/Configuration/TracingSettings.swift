import CivilTime
import Engine
import Systemd
import TraceExport

/// The settings of tracing (rule H25).
struct TracingSettings: Hashable {
  /// The default of `sample`.
  static let sampleDefault = 0.01

  /// The collector's URL for traces.
  let endpoint: String
  /// The share of traces that are exported: above 0 and at most 1.
  let sample: Double

  /// All settings as one text, for comparison.
  var text: String { "\(sample) \(endpoint)" }

  /// Creates the exporter and its thread.
  func tracer(reportingTo journal: Journal) throws -> Tracer {
    let exporter = try OTLPExporter(to: endpoint, now: WallClock.now) { sentence, isFailing in
      journal.send(message: sentence, priority: isFailing ? .warning : .notice)
    }
    return Tracer(TraceSampler(share: sample), exporter)
  }
}
