import Foundation
import Sinks
import Synchronization

/// Name servers that know no addresses. They do not answer for hosts whose names begin with "slow"
/// until they are released.
final class HeldNames: Sendable {
  private let gate = DispatchSemaphore(value: 0)
  private let requestedHosts = Mutex<[String]>([])
  private let (requests, continuation) = AsyncStream<Void>.makeStream()

  /// The requested hosts, in order.
  var hosts: [String] { requestedHosts.withLock { $0 } }

  var resolver: AddressResolver {
    AddressResolver { [self] host throws(HTTPTransferError) in
      requestedHosts.withLock { $0.append(host) }
      continuation.yield()
      if host.hasPrefix("slow") { waitForRelease() }
      return []
    }
  }

  private func waitForRelease() {
    gate.wait()
    gate.signal()
  }

  /// Waits until this many names have been requested. Only one task may wait.
  func waitUntilRequested(times: Int) async {
    var iterator = requests.makeAsyncIterator()
    while hosts.count < times { await iterator.next() }
  }

  /// Answers all current and later requests.
  func release() { gate.signal() }
}
