import CivilTime
package import Outbox
package import Reminders
import Synchronization

/// Sends each delivery to all devices of the recipient that one push service reaches.
///
/// A delivery counts as delivered when one device has accepted it. A delivery is retried only if no
/// device has accepted it and a device may accept it later. So a retry never repeats a delivery on
/// a device that has accepted it. A crash, or a connection that breaks before the answer, can
/// repeat a push. The repeated push has the same identifiers, so the device shows the notification
/// once.
package struct PushSink<Service: PushService>: OverlappingSink {
  package let name: String
  package var type: String { service.type }
  package let service: Service
  /// The time limit of an attempt on one device.
  private let deadline: TimeSpan
  private let semaphore: AsyncSemaphore
  /// Whether messages contain no text, so that the app fetches it (rule D17).
  private let isTextFetched: Bool

  /// The maximum number of deliveries that a crash can repeat.
  package var window: Int { 256 }
  package var needsAddressee: Bool { true }
  package var canWithdraw: Bool { service.canWithdraw }
  package var isWithdrawnByApps: Bool { !service.canWithdraw }

  /// The default number of concurrent pushes: enough for 1,000 a second on a connection with a
  /// latency of 0.1 s.
  private static var defaultConcurrency: Int { 100 }

  package init(_ common: SinkCommonSettings, service: Service, isTextFetched: Bool = false) {
    name = common.name
    deadline = common.deadline
    semaphore = AsyncSemaphore(common.concurrency ?? Self.defaultConcurrency)
    self.service = service
    self.isTextFetched = isTextFetched
  }

  package func deliver(
    _ deliveries: [Delivery], _ progress: BatchProgress
  ) async throws(SinkOutage) -> [SinkAnswer] {
    let batch = PushBatch(deliveries.map(devices), hasOutages: service.hasOutages, progress)
    await push(deliveries.map(prepared), batch)
    return try batch.answers()
  }

  private func prepared(_ delivery: Delivery) -> Delivery {
    var delivery = delivery
    delivery.isFetched = isTextFetched
    return delivery
  }

  /// The maximum number of devices per recipient. More devices are hardly in use, and a recipient
  /// that registers thousands must not occupy the sink.
  private static var devicesMax: Int { 20 }

  /// The most recently registered devices of the recipient. Browsers get no withdrawals.
  private func devices(of delivery: Delivery) -> [Device] {
    let devices = (delivery.addressee?.devices ?? []).filter {
      service.reaches($0) && !(delivery.isWithdrawal && $0.platform == "web")
    }
    guard devices.count > Self.devicesMax else { return devices }
    return Array(devices.sorted { $0.stamp > $1.stamp }.prefix(Self.devicesMax))
  }

  /// Sends to all devices, within the limits of `semaphore`, until an outage.
  private func push(_ deliveries: [Delivery], _ batch: PushBatch) async {
    await withDiscardingTaskGroup { group in
      for (index, device) in batch.pushes {
        await semaphore.acquire()
        guard !batch.isCutOff else { return semaphore.release() }
        group.addTask {
          let attemptEnd = ContinuousClock.now.advanced(by: .milliseconds(deadline.milliseconds))
          let result = await service.push(deliveries[index], to: device, before: attemptEnd)
          batch.add(result, of: device, index)
          semaphore.release()
        }
      }
      batch.progress.recordAllBegun(within: semaphore)
    }
  }
}

/// A batch that is being sent to a push service.
private final class PushBatch: Sendable {
  private struct State {
    /// The results so far, by the index of the delivery.
    var tallies: [PushTally]
    /// The reason why the remaining pushes are not started; nil while the service works.
    var outage: String?
    /// Whether the service is known to work.
    var isProven: Bool
    /// The deliveries whose pushes have all ended and that are not reported yet. They are to be
    /// retried, but in an outage of the service they get no answer.
    var unreported: [Int] = []
  }

  /// The pushes, each as the index of a delivery and a device. The first devices of all recipients
  /// precede the second devices.
  let pushes: [(Int, Device)]
  let progress: BatchProgress
  private let state: Mutex<State>

  /// - Parameters:
  ///   - devices: the devices of each delivery.
  ///   - hasOutages: whether the service may be in an outage.
  init(_ devices: [[Device]], hasOutages: Bool, _ progress: BatchProgress) {
    let ranks: Range<Int> = 0..<(devices.map(\.count).max() ?? 0)
    pushes = ranks.flatMap { rank -> [(Int, Device)] in
      devices.indices.filter { devices[$0].count > rank }.map { ($0, devices[$0][rank]) }
    }
    self.progress = progress
    let tallies = devices.map { PushTally(devices: $0) }
    for index in tallies.indices where tallies[index].isComplete {
      progress.answer(index, tallies[index].answer(outage: nil))
    }
    state = Mutex(State(tallies: tallies, isProven: !hasOutages))
  }

  /// Whether no further push is started, because of an outage.
  var isCutOff: Bool { state.withLock { $0.outage != nil } }

  /// Adds the result of the delivery with this index on one device.
  func add(_ result: PushResult, of device: Device, _ index: Int) {
    state.withLock { state in
      if case .outage(let reason) = result.outcome { state.outage = state.outage ?? reason }
      state.tallies[index].add(result, of: device)
      let tally = state.tallies[index]
      if tally.isAnswered { state.isProven = true }
      if tally.isComplete { state.unreported.append(index) }
      report(&state)
    }
  }

  /// Reports the deliveries in `unreported`, but retries only if the service is known to work.
  private func report(_ state: inout State) {
    let (tallies, isProven) = (state.tallies, state.isProven)
    state.unreported.removeAll { index in
      let answer = tallies[index].answer(outage: nil)
      if case .retry = answer.verdict, !isProven { return false }
      progress.answer(index, answer)
      return true
    }
  }

  /// - Throws: the outage if nothing was answered. Otherwise the deliveries that the outage
  ///   prevented are answered as retries.
  func answers() throws(SinkOutage) -> [SinkAnswer] {
    let (tallies, outage) = state.withLock { ($0.tallies, $0.outage) }
    if let outage, !tallies.contains(where: \.isAnswered) { throw SinkOutage(outage) }
    return tallies.map { $0.answer(outage: outage) }
  }
}
