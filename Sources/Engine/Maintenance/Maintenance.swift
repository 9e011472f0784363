import CivilTime
import Reminders
import Store

/// The work on the store in addition to the engine cycles: retention (rule H7), cleaning the files
/// after erasures (rule H4), and freeing memory.
final class Maintenance {
  private let store: any Store
  /// The progress of retention.
  var pruning: Pruning
  /// The planners by which the current round reads the events that it removes; nil until it removes
  /// some.
  private var formerPlanners: FormerPlanners?
  /// When the memory of the store is freed.
  var memory = MemoryTrimmer()
  /// The thread that cleans the store's files after erasures; nil if the engine's own thread cleans
  /// them.
  var cleaning: FileCleaning?
  /// When to clean the store's files of erased recipients again, after a failure; nil if no attempt
  /// has failed.
  private(set) var erasureRetry: Instant?
  /// The number of erasures since the start whose data the thread has cleaned from the files.
  private var erasuresCleaned = 0

  init(_ store: any Store, now: Instant) {
    self.store = store
    pruning = Pruning(now: now)
  }

  /// Frees memory if a burst of due recipients has ended.
  func trimMemory(now: Instant) {
    if memory.beginTrim(at: now) { store.releaseMemory() }
  }

  // MARK: - Retention

  /// Removes a few rows that are older than the retention.
  ///
  /// - Returns: how many were removed.
  func prune(
    planner: Planner, leaps: TrustedLeaps, now: Instant
  ) throws(StoreError) -> Int {
    guard let retention = pruning.retention else { return 0 }
    guard let part = pruning.parts.first else {
      let isComplete = try removeUnprunedData(
        eventsBefore: leaps.age(beyond: retention.events, now: now).end,
        refusedBefore: leaps.age(beyond: RefusedSubmission.span, now: now).end)
      formerPlanners = nil
      isComplete ? pruning.endRound(at: now) : pruning.beginStep(at: now)
      return 0
    }
    pruning.beginStep(at: now)
    let age = leaps.age(beyond: retention.span(of: part), now: now)
    do throws(StoreError) {
      let planners = try part == .events ? planners(ofEventsBefore: age.end, planner) : nil
      let pruned = try store.prune(
        part, by: age, after: pruning.cursor, limit: Pruning.step,
        keeping: planner.isCurrentMilestone,
        folding: { base, events, name in
          base.fold(
            events, of: name, by: { planners?.reader(at: $0) ?? planner },
            isOfItsTime: { planners?.isKnown(at: $0) ?? true })
        })
      pruning.endStep(at: pruned.cursor)
      return pruned.removed
    } catch {
      guard error.isTemporary else { throw error }
      pruning.postponeStep(at: now)
      return 0
    }
  }

  /// Returns the planners by which old events are read. They are read once in a round, on the
  /// store's own connection, because the engine never waits for a reader.
  private func planners(
    ofEventsBefore end: Instant, _ planner: Planner
  ) throws(StoreError) -> FormerPlanners {
    if let formerPlanners, formerPlanners.current === planner, pruning.cursor != 0 {
      return formerPlanners
    }
    let planners = try store.commit { transaction in
      try FormerPlanners(current: planner, until: end, in: transaction)
    }
    formerPlanners = planners
    return planners
  }

  /// Removes old data that is not a `RetentionPart`: requests of bases that expired before the
  /// events of the retention (rule H30), the adoptions that decided only before these events (rule
  /// H31), and old rejected submissions.
  ///
  /// - Returns: false if bases are left for another step.
  private func removeUnprunedData(
    eventsBefore eventEnd: Instant, refusedBefore refusedEnd: Instant
  ) throws(StoreError) -> Bool {
    do throws(StoreError) {
      return try store.commit { transaction in
        let changed = try transaction.forgetRequests(
          expiredBefore: eventEnd, limit: PruningStep.recipientsMax)
        guard changed < PruningStep.recipientsMax else { return false }
        try transaction.removeAdoptions(replacedBy: eventEnd)
        try transaction.removeRefusedSubmissions(before: refusedEnd)
        return true
      }
    } catch {
      guard error.isTemporary else { throw error }
      return true
    }
  }

  // MARK: - Erasures

  /// The pause after a failed attempt to clean the files.
  private static let pause = TimeSpan.minutes(1)

  /// Cleans the store's files of erased recipients (rule H4), unless an attempt has failed within
  /// the last minute.
  func finishErasure(now: Instant) throws(StoreError) {
    if let cleaning { return try follow(cleaning, now: now) }
    guard isCleaningDue(now: now) else { return }
    erasureRetry = try store.finishErasure() ? nil : now + Self.pause
  }

  /// Takes the result of the cleaning thread, and starts another cleaning if needed.
  private func follow(_ cleaning: FileCleaning, now: Instant) throws(StoreError) {
    if let result = cleaning.takeResult() {
      let hasEndedErasure = try endErasures(result.get())
      // If no further erasure is finished, another attempt would have the same result now.
      erasureRetry = store.isErasureOpen && !hasEndedErasure ? now + Self.pause : nil
    }
    guard isCleaningDue(now: now) else { return }
    erasureRetry = nil
    cleaning.begin()
  }

  /// Records that the data of the first `erasures` erasures since the start is cleaned from the
  /// files.
  ///
  /// - Returns: whether another erasure is finished.
  private func endErasures(_ erasures: Int) throws(StoreError) -> Bool {
    do throws(StoreError) {
      try store.endErasures(erasures)
    } catch {
      guard error.isTemporary else { throw error }
      return false
    }
    defer { erasuresCleaned = erasures }
    return erasures > erasuresCleaned
  }

  /// Returns whether the files contain erased data, and no attempt has failed within a minute.
  private func isCleaningDue(now: Instant) -> Bool {
    store.isErasureOpen && erasureRetry.map { $0 <= now } ?? true
  }
}
