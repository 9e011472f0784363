import Synchronization

/// The scripts that a peer plays. A mark that a request contains chooses its script.
package final class AnswerBook<Script: Sendable>: Sendable {
  private struct State {
    var scripts: [(mark: [UInt8], script: Script)] = []
    var greeting: [UInt8] = []
    var findings: [String] = []
  }

  private let healthy: Script
  private let state = Mutex(State())

  package init(healthy: Script) {
    self.healthy = healthy
  }

  /// Replaces all scripts.
  ///
  /// - Parameter greeting: bytes sent on every connection before the first request.
  package func set(_ scripts: [(mark: String, script: Script)], greeting: [UInt8] = []) {
    let marked = scripts.map { (mark: Array($0.mark.utf8), script: $0.script) }
    state.withLock { state in
      state.scripts = marked
      state.greeting = greeting
    }
  }

  package var greeting: [UInt8] { state.withLock { $0.greeting } }

  /// Returns the first script whose mark is in the request; the healthy script if there is none.
  package func script(for request: [UInt8]) -> Script {
    state.withLock { state in
      state.scripts.first { request.firstRange(of: $0.mark) != nil }?.script ?? healthy
    }
  }

  /// Adds a fault of the client.
  package func note(_ finding: String) {
    state.withLock { $0.findings.append(finding) }
  }

  /// Returns the faults of the client that have been noted, and removes them.
  package func takeFindings() -> [String] {
    state.withLock { state in
      defer { state.findings = [] }
      return state.findings
    }
  }
}
