/// A subsystem's place in the ledger.
package struct ProgressHandle: Sendable {
  let ledger: ProgressLedger
  let index: Int

  /// A step of work is done; the next must be within the allowance.
  package func note(at now: MonotonicInstant) {
    ledger.update { $0.note(index, at: now) }
  }

  /// Goes to rest: until `deadline`, by which it means to wake and give a note (the allowance is
  /// added), or, with nil, until `expect(at:)`.
  ///
  /// Where others hand over work, call this under the lock that guards the queue, once it is seen
  /// to be empty; else work handed over in between goes unwatched.
  package func idle(until deadline: MonotonicInstant?) {
    ledger.update { $0.idle(index, until: deadline) }
  }

  /// Called by those who hand over work: a subsystem at rest must give a note within its
  /// allowance from now. Nothing changes for one that is at work.
  package func expect(at now: MonotonicInstant) {
    ledger.update { $0.expect(index, at: now) }
  }

  /// Cannot go on, nor can the service without it (rule S7): from now on the manager gets no sign
  /// of life, whatever the others show, and the process is to end by itself.
  package func fail() {
    ledger.update { $0.fail() }
  }

  /// Leaves the ledger, as a lane does whose sink is no longer configured.
  package func retire() {
    ledger.update { $0.remove(index) }
  }
}
