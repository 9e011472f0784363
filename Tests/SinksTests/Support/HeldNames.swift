import Foundation
import Sinks
import Synchronization

/// Name servers that do not answer for hosts whose names begin with "slow" until released, and that
/// have no addresses for other hosts.
final class HeldNames: Sendable {
  private let gate = DispatchSemaphore(value: 0)
  private let asked = Mutex<[String]>([])
  private let (askings, asking) = AsyncStream<Void>.makeStream()

  /// The requested hosts, in order.
  var hosts: [String] { asked.withLock { $0 } }

  var resolver: AddressResolver {
    AddressResolver { [self] host throws(HTTPTransferError) in
      asked.withLock { $0.append(host) }
      asking.yield()
      if host.hasPrefix("slow") { passTheGate() }
      return []
    }
  }

  private func passTheGate() {
    gate.wait()
    gate.signal()
  }

  /// Waits until this many names have been requested. Only one task may wait.
  func waitUntilAsked(times: Int) async {
    var iterator = askings.makeAsyncIterator()
    while hosts.count < times { await iterator.next() }
  }

  /// Answers all current and later requests.
  func letGo() { gate.signal() }
}
