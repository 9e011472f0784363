import Synchronization

/// The scripts that a peer plays, chosen by a mark in the request's body.
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

  package func script(for request: [UInt8]) -> Script {
    state.withLock { state in
      state.scripts.first { request.firstRange(of: $0.mark) != nil }?.script ?? healthy
    }
  }

  package func note(_ finding: String) {
    state.withLock { $0.findings.append(finding) }
  }

  package func takeFindings() -> [String] {
    state.withLock { state in
      defer { state.findings = [] }
      return state.findings
    }
  }
}
