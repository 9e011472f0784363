internal import Synchronization

/// Keeps deliveries to unresponsive hosts from using all the capacity of a sink that sends to many
/// hosts. After several consecutive failures at a host, only one attempt at a time goes to this
/// host, until it answers (rule D3).
///
/// The sink defines what a host is. Where users also choose ports, a host is an origin (scheme,
/// host and port). So a silent port does not affect other ports.
package final class SilentHosts: Sendable {
  /// A permitted attempt, for which the caller must call `end`.
  package struct Attempt: Sendable {
    fileprivate let host: String
    /// The attempt's number, counted from 1 over the attempts to all hosts.
    fileprivate let number: Int
  }

  /// The result of an attempt.
  package enum Ending: Sendable {
    /// The host responded, with any answer.
    case answered
    case unanswered
    /// The attempt ended for a reason that is unrelated to the host.
    case unknown
  }

  private struct Record {
    /// The number of consecutive failures.
    var failures = 0
    /// The number of the single attempt that is in progress at a silent host.
    var trial: Int?
    /// How many attempts, to all hosts, had begun when the host last answered. Failures of these
    /// attempts are no longer counted.
    var begunAtAnswer: Int
  }

  private struct State {
    /// The records of hosts with an ended attempt, by host.
    var records: [String: Record] = [:]
    /// The number of attempts, to all hosts, that have begun.
    var begunCount = 0
    /// How many attempts had begun when all records were last removed.
    var begunAtReset = 0

    /// Records an answer, or the failure of an attempt that began after the host's last answer.
    mutating func note(_ attempt: Attempt, isAnswered: Bool) {
      var record = records[attempt.host] ?? Record(begunAtAnswer: begunAtReset)
      if isAnswered {
        record = Record(begunAtAnswer: begunCount)
      } else if attempt.number > record.begunAtAnswer {
        record.failures += 1
      }
      if records.count >= hostsMax, records[attempt.host] == nil {
        (records, begunAtReset) = ([:], begunCount)
      }
      records[attempt.host] = record
    }
  }

  /// The number of consecutive failures after which a host counts as silent. A busy host that still
  /// answers has fewer consecutive failures.
  package static let failuresMax = 8
  /// The maximum number of records, because users can choose any number of hosts. At the maximum,
  /// all records are removed, as if every host had answered.
  private static let hostsMax = 4_096

  private let state = Mutex(State())

  package init() {}

  /// Begins an attempt at a host.
  ///
  /// - Returns: nil if the host is silent and its single permitted attempt is in progress.
  package func begin(_ host: String) -> Attempt? {
    state.withLock { state in
      let number = state.begunCount + 1
      if let record = state.records[host], record.failures >= Self.failuresMax {
        guard record.trial == nil else { return nil }
        state.records[host]?.trial = number
      }
      state.begunCount = number
      return Attempt(host: host, number: number)
    }
  }

  package func end(_ attempt: Attempt, _ ending: Ending) {
    state.withLock { state in
      if ending != .unknown { state.note(attempt, isAnswered: ending == .answered) }
      if state.records[attempt.host]?.trial == attempt.number {
        state.records[attempt.host]?.trial = nil
      }
    }
  }
}
