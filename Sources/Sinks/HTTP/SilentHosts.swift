internal import Synchronization

/// Keeps those who wait for a host that does not answer from taking all the room of a sink whose
/// deliveries go to many hosts: once enough attempts in a row have come to nothing, one at a time
/// tries it, until it answers (rule D3).
package final class SilentHosts: Sendable {
  /// An attempt that may be made, to be ended.
  package struct Attempt: Sendable {
    fileprivate let host: String
    /// Whether others wait for what comes of it.
    fileprivate let isTrial: Bool
  }

  private struct Silence {
    var failures = 0
    var isTried = false
  }

  /// After so many failures in a row a host counts as silent: a busy one that answers has fewer.
  package static let failuresMax = 8
  /// People choose hosts, so that there may be any number of them. Beyond this it is as if all had
  /// answered.
  private static let hostsMax = 4_096

  private let silences = Mutex<[String: Silence]>([:])

  package init() {}

  /// - Returns: nil if somebody tries a silent host already.
  package func begin(_ host: String) -> Attempt? {
    silences.withLock { silences in
      guard let silence = silences[host], silence.failures >= Self.failuresMax else {
        return Attempt(host: host, isTrial: false)
      }
      guard !silence.isTried else { return nil }
      silences[host]?.isTried = true
      return Attempt(host: host, isTrial: true)
    }
  }

  /// - Parameter isAnswered: whether the host has said something, whatever it was.
  package func end(_ attempt: Attempt, isAnswered: Bool) {
    silences.withLock { silences in
      if isAnswered {
        silences[attempt.host] = nil
        return
      }
      if silences.count >= Self.hostsMax, silences[attempt.host] == nil { silences = [:] }
      silences[attempt.host, default: Silence()].failures += 1
      if attempt.isTrial { silences[attempt.host]?.isTried = false }
    }
  }
}
