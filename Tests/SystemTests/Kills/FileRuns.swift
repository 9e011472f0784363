import CivilTime
import TestSupport

/// Many runs of the service under load, on one state directory.
final class FileRuns: RepeatedRuns {
  let workspace: Workspace
  var ledger = Ledger()
  private var random: SplitMix64
  private var fileOffset = 0

  init(seed: UInt64) throws {
    workspace = try Workspace()
    random = SplitMix64(seed: seed)
  }

  var isEverythingDelivered: Bool { ledger.isEverythingDelivered }
  var inlets: [Int32] { [] }

  /// Starts a run of the service. If the service is to be killed after a number of deliveries, the
  /// deliveries go to a pipe, where the test can count them.
  func begin(_ moment: Moment?) throws -> ServiceRun {
    ledger.beginRun()
    let isFile: Bool
    switch moment {
    case nil, .deliveries: isFile = false
    default: isFile = Bool.random(using: &random)
    }
    let watch = try FileWatch(workspace.state)
    return ServiceRun(try Service(workspace, sink: isFile ? .file : .output), watch)
  }

  /// Opens connections. Over the first, it sends acknowledged events again, which the service must
  /// recognize as duplicates.
  func connect(_ run: ServiceRun) throws {
    run.senders = try (0..<4).map { _ in try Sender(to: workspace.socket) }
    let acknowledged = (0..<8).compactMap { _ in
      ledger.acknowledged(at: .random(in: 0..<1_000_000, using: &random))
    }
    if !acknowledged.isEmpty { run.senders[0].begin(Array(Set(acknowledged)), &ledger) }
  }

  /// Returns one event, or several for a batch. Some have been sent before and got no answer.
  func nextEvents() -> [Int] {
    let isBatch = Int.random(in: 0..<5, using: &random) < 2
    let count = isBatch ? Int.random(in: 2...100, using: &random) : 1
    return (0..<count).map { _ in
      if Bool.random(using: &random), let number = ledger.takeUnanswered() { return number }
      // The reminder is due a second after its event's time. So it fires at once or waits in the
      // timer wheel.
      let time = Report.now - .seconds(.random(in: 0...1, using: &random))
      return ledger.add { Report.milestone("e\($0)", of: "r\($0)", at: time) }
    }
  }

  func recordDeliveries(of run: ServiceRun) {
    for line in run.service.process.output.takeLines() {
      ledger.recordDelivery(line)
      run.counts.deliveries += 1
    }
  }

  func recordRemainingOutput(_ run: ServiceRun) throws {
    if !run.service.process.output.take().isEmpty { ledger.cutLines += 1 }
    try readFile()
  }

  /// Reads the lines appended to the file of deliveries. A last line without its line feed is read
  /// after the next run, in which the sink ends it.
  private func readFile() throws {
    guard Files.names(in: workspace.path).contains("deliveries") else { return }
    let newBytes = try Files.read(workspace.deliveries).dropFirst(fileOffset)
    guard let last = newBytes.lastIndex(of: UInt8(ascii: "\n")) else { return }
    fileOffset = last + 1
    for line in newBytes[...last].split(separator: UInt8(ascii: "\n")) {
      ledger.recordDelivery(line)
    }
  }
}
