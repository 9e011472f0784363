import CivilTime
package import Outbox
package import Reminders
import Systemd

/// Carries deliveries to all devices of a person that one push service reaches.
///
/// A delivery is delivered as soon as one device took it; it is tried again only if none did and
/// one may later. So no device that took it is handed it again by a retry. A crash, and a
/// connection that breaks before the answer, can repeat a push; the service is then given the same
/// identifiers, by which the device shows it once, in the place of the first.
package struct PushSink<Service: PushService>: Sink {
  package let name: String
  package var type: String { service.type }
  private let service: Service
  private let deadline: TimeSpan
  private let concurrency: Int

  /// What a crash can repeat.
  package var window: Int { 256 }
  package var needsAddressee: Bool { true }

  /// How many pushes are under way at once, unless the configuration says otherwise: enough to
  /// fill a connection on which an answer takes a tenth of a second with a thousand a second.
  private static var concurrencyUsual: Int { 100 }

  package init(_ common: SinkCommonSettings, service: Service) {
    name = common.name
    deadline = common.deadline
    concurrency = common.concurrency ?? Self.concurrencyUsual
    self.service = service
  }

  package func deliver(_ deliveries: [Delivery]) async throws(SinkOutage) -> [SinkAnswer] {
    var tallies = deliveries.map { PushTally(devices: devices(of: $0)) }
    let outage = await push(deliveries, &tallies)
    // What waited behind an outage comes again by itself, unless something has an answer already.
    if let outage, !tallies.contains(where: \.isAnswered) { throw SinkOutage(outage) }
    return tallies.map { $0.answer(outage: outage) }
  }

  private func devices(of delivery: Delivery) -> [Device] {
    (delivery.addressee?.devices ?? []).filter { service.reaches($0) }
  }

  /// Works through all devices, so many at once, until an outage.
  ///
  /// - Returns: why it ended early, if it did.
  private func push(_ deliveries: [Delivery], _ tallies: inout [PushTally]) async -> String? {
    let work = tallies.indices.flatMap { index in tallies[index].devices.map { (index, $0) } }
    var rest = work.makeIterator()
    var outage: String?
    await withTaskGroup(of: (Int, Device, PushResult).self) { group in
      var underWay = 0
      while true {
        while outage == nil, underWay < concurrency, let (index, device) = rest.next() {
          underWay += 1
          group.addTask {
            let end = ContinuousClock.now.advanced(by: .milliseconds(deadline.milliseconds))
            return (index, device, await service.push(deliveries[index], to: device, before: end))
          }
        }
        guard let (index, device, result) = await group.next() else { return }
        underWay -= 1
        if case .outage(let reason) = result.outcome { outage = outage ?? reason }
        tallies[index].add(result, of: device)
      }
    }
    return outage
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
