import CivilTime
package import Outbox
package import Reminders
import Synchronization
import Systemd

/// Carries deliveries to all devices of a person that one push service reaches.
///
/// A delivery is delivered as soon as one device took it; it is tried again only if none did and
/// one may later. So no device that took it is handed it again by a retry. A crash, and a
/// connection that breaks before the answer, can repeat a push; the service is then given the same
/// identifiers, by which the device shows it once, in the place of the first.
package struct PushSink<Service: PushService>: OverlappingSink {
  package let name: String
  package var type: String { service.type }
  private let service: Service
  private let deadline: TimeSpan
  private let slots: Slots

  /// What a crash can repeat.
  package var window: Int { 256 }
  package var needsAddressee: Bool { true }

  /// How many pushes are under way at once, unless the configuration says otherwise: enough to
  /// fill a connection on which an answer takes a tenth of a second with a thousand a second.
  private static var concurrencyUsual: Int { 100 }

  package init(_ common: SinkCommonSettings, service: Service) {
    name = common.name
    deadline = common.deadline
    slots = Slots(common.concurrency ?? Self.concurrencyUsual)
    self.service = service
  }

  package func deliver(
    _ deliveries: [Delivery], _ progress: BatchProgress
  ) async throws(SinkOutage) -> [SinkAnswer] {
    let round = PushRound(deliveries.map(devices), progress)
    await push(deliveries, round)
    return try round.answers()
  }

  /// How many devices of a person are tried: nobody has more that are in use, and who registers
  /// thousands must not have all pushes to themselves.
  private static var devicesMax: Int { 20 }

  /// Those that were registered last.
  private func devices(of delivery: Delivery) -> [Device] {
    let devices = (delivery.addressee?.devices ?? []).filter { service.reaches($0) }
    guard devices.count > Self.devicesMax else { return devices }
    return Array(devices.sorted { $0.stamp > $1.stamp }.prefix(Self.devicesMax))
  }

  /// Works through all devices, as many at once as there are slots, until an outage.
  private func push(_ deliveries: [Delivery], _ round: PushRound) async {
    await withDiscardingTaskGroup { group in
      for (index, device) in round.work {
        await slots.take()
        guard !round.isCutOff else { return slots.giveBack() }
        group.addTask {
          let end = ContinuousClock.now.advanced(by: .milliseconds(deadline.milliseconds))
          round.add(
            await service.push(deliveries[index], to: device, before: end), of: device, index)
          slots.giveBack()
        }
      }
      round.progress.everythingIsUnderWay(in: slots)
    }
  }
}

/// A batch on its way to a push service.
private final class PushRound: Sendable {
  private struct State {
    var tallies: [PushTally]
    /// Why nothing more is begun.
    var outage: String?
  }

  /// Whom to reach, by the place of the delivery: one device of each person before the next of any.
  let work: [(Int, Device)]
  let progress: BatchProgress
  private let state: Mutex<State>

  /// - Parameter devices: those of each delivery.
  init(_ devices: [[Device]], _ progress: BatchProgress) {
    work = (0..<(devices.map(\.count).max() ?? 0)).flatMap { rank in
      devices.indices.lazy.filter { devices[$0].count > rank }.map { ($0, devices[$0][rank]) }
    }
    self.progress = progress
    let tallies = devices.map { PushTally(devices: $0) }
    for index in tallies.indices where tallies[index].isComplete {
      progress.answer(index, tallies[index].answer(outage: nil))
    }
    state = Mutex(State(tallies: tallies))
  }

  var isCutOff: Bool { state.withLock { $0.outage != nil } }

  func add(_ result: PushResult, of device: Device, _ index: Int) {
    state.withLock { state in
      if case .outage(let reason) = result.outcome { state.outage = state.outage ?? reason }
      state.tallies[index].add(result, of: device)
      let tally = state.tallies[index]
      if tally.isComplete { progress.answer(index, tally.answer(outage: nil)) }
    }
  }

  /// What waited behind an outage comes again by itself, unless something has an answer already.
  func answers() throws(SinkOutage) -> [SinkAnswer] {
    let (tallies, outage) = state.withLock { ($0.tallies, $0.outage) }
    if let outage, !tallies.contains(where: \.isAnswered) { throw SinkOutage(outage) }
    return tallies.map { $0.answer(outage: outage) }
  }
}

/// What the devices of one person make together of a delivery.
package struct PushTally: Sendable {
  package let devices: [Device]
  private var results: [(device: Device, result: PushResult)] = []

  package init(devices: [Device]) {
    self.devices = devices
  }

  package mutating func add(_ result: PushResult, of device: Device) {
    results.append((device, result))
  }

  /// Whether the service has said something of a device.
  package var isAnswered: Bool {
    results.contains { $0.result.response != nil && !$0.result.isOutage }
  }

  /// Whether all that it can come to is known, whatever becomes of the rest of the batch.
  var isComplete: Bool {
    results.count == devices.count && !results.contains(where: \.result.isOutage)
  }

  /// - Parameter outage: why devices were left out, if any were.
  package func answer(outage: String?) -> SinkAnswer {
    let (verdict, response) = verdict(outage)
    return SinkAnswer(verdict, response: response, goneDevices: goneDevices)
  }

  private var goneDevices: [String] {
    results.compactMap { device, result in
      if case .gone = result.outcome { device.identifier } else { nil }
    }
  }

  private func verdict(_ outage: String?) -> (SinkAnswer.Verdict, SinkResponse?) {
    guard !devices.isEmpty else {
      return (.rejected(reason: "the person has no device that it reaches"), nil)
    }
    if let taken = results.first(where: { $0.result.outcome == .delivered }) {
      return (.delivered, taken.result.response)
    }
    if let retry { return retry }
    if results.count < devices.count || results.contains(where: \.result.isOutage) {
      return (.retry(after: nil, reason: outage ?? "the service was not reached"), nil)
    }
    return refusal
  }

  /// The longest wait that was asked for counts: all devices are tried again together.
  private var retry: (SinkAnswer.Verdict, SinkResponse?)? {
    var latest: (after: TimeSpan?, reason: String, response: SinkResponse?)?
    for (_, result) in results {
      guard case .retry(let after, let reason) = result.outcome else { continue }
      if let known = latest, (known.after ?? .zero) >= (after ?? .zero) { continue }
      latest = (after, reason, result.response)
    }
    return latest.map { (.retry(after: $0.after, reason: $0.reason), $0.response) }
  }

  /// No device took it and none will. That one refuses says more than that another is gone.
  private var refusal: (SinkAnswer.Verdict, SinkResponse?) {
    var goneReason: (String, SinkResponse?)?
    for (_, result) in results {
      switch result.outcome {
      case .rejected(let reason): return (.rejected(reason: reason), result.response)
      case .gone(let reason): goneReason = goneReason ?? (reason, result.response)
      default: continue
      }
    }
    let (reason, response) = goneReason ?? ("no device took it", nil)
    return (.rejected(reason: reason), response)
  }
}
