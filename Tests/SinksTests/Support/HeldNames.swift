import Foundation
import Sinks
import Synchronization

/// Name servers that say nothing of hosts whose names begin with "slow" until they are let go, and
/// that no other host has an address.
final class HeldNames: Sendable {
  private let gate = DispatchSemaphore(value: 0)
  private let asked = Mutex<[String]>([])
  private let (askings, asking) = AsyncStream<Void>.makeStream()

  /// What has been asked for, in order.
  var hosts: [String] { asked.withLock { $0 } }

  var resolver: AddressResolver {
    AddressResolver { [self] host throws(HTTPFailure) in
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

  /// Waits until so many names have been asked for; only one task may wait.
  func isAsked(times: Int) async {
    var iterator = askings.makeAsyncIterator()
    while hosts.count < times { await iterator.next() }
  }

  /// Answers what has been asked for, and what will be.
  func letGo() { gate.signal() }
}
