internal import Synchronization

/// Keeps those who wait for a host that does not answer from taking all the room of a sink whose
/// deliveries go to many hosts: once enough attempts in a row have come to nothing, one at a time
/// tries it, until it answers (rule D3).
///
/// A host is here what the sink calls one: an origin (scheme, host and port) where ports are chosen
/// too, so that a port that is silent says nothing of the others.
package final class SilentHosts: Sendable {
  /// An attempt that may be made, to be ended.
  package struct Attempt: Sendable {
    fileprivate let host: String
    /// How many attempts had begun, this one among them.
    fileprivate let number: Int
  }

  /// What an attempt has shown.
  package enum Ending: Sendable {
    /// The host has said something, whatever it was.
    case answered
    case unanswered
    /// Nothing of the host: something else has ended the attempt.
    case unknown
  }

  private struct Record {
    var failures = 0
    /// The attempt that others wait for.
    var trial: Int?
    /// How many attempts had begun at its last answer. What has become of those is older news.
    var begunAtAnswer: Int
  }

  private struct State {
    var records: [String: Record] = [:]
    var begun = 0
    /// How many had begun when all records were let go of last.
    var begunAtReset = 0

    mutating func note(_ attempt: Attempt, isAnswered: Bool) {
      var record = records[attempt.host] ?? Record(begunAtAnswer: begunAtReset)
      if isAnswered {
        record = Record(begunAtAnswer: begun)
      } else if attempt.number > record.begunAtAnswer {
        record.failures += 1
      }
      if records.count >= hostsMax, records[attempt.host] == nil {
        (records, begunAtReset) = ([:], begun)
      }
      records[attempt.host] = record
    }
  }

  /// After so many failures in a row a host counts as silent: a busy one that answers has fewer.
  package static let failuresMax = 8
  /// People choose hosts, so that there may be any number of them. Beyond this it is as if all had
  /// answered.
  private static let hostsMax = 4_096

  private let state = Mutex(State())

  package init() {}

  /// - Returns: nil if somebody tries a silent host already.
  package func begin(_ host: String) -> Attempt? {
    state.withLock { state in
      let number = state.begun + 1
      if let record = state.records[host], record.failures >= Self.failuresMax {
        guard record.trial == nil else { return nil }
        state.records[host]?.trial = number
      }
      state.begun = number
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
