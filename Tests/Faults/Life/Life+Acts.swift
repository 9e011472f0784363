import CivilTime
import Engine
import FaultyDisk
import Outbox
import Reminders
import SQLiteStore
import Store
import TestSupport

/// The actions on the service.
extension Life {
  func perform(_ act: Act) -> WakeUp {
    do {
      return try attempt(act)
    } catch {
      return giveUp("the simulation itself failed: \(error)")
    }
  }

  private func attempt(_ act: Act) throws -> WakeUp {
    switch act {
    case .report: gather()
    case .repeatSome: repeatSome()
    case .conflict: try reuseIdentity()
    case .reportErased: try reportErased()
    case .ask: ask()
    case .die(let calls, let death):
      self.death = death
      disk.halt(at: calls)
    case .fail(let call, let count, let isPermanent, let death):
      self.death = death
      disk.fail(call, at: count, isPermanent: isPermanent)
    case .endFaults: endFaults()
    case .fill:
      faultsWhenFull = disk.faults
      disk.limit(to: 0)
    case .reload: reload()
    case .backUp: backUp()
    case .leap(let span, let length): return leap(by: span, lasting: length)
    case .trouble(let trouble): self.trouble = trouble
    case .pause(let isPaused): pause.isWanted = isPaused
    case .restart:
      post("stop") {
        .stop($0)
      } then: { _ in
      }
    }
    return WakeUp()
  }

  /// Runs a random query, which must be answered.
  private func ask() {
    let name = random.pick(diary.names)
    switch random.int(in: 0..<7) {
    case 0: ask("pending", AgendaQuery(of: name))
    case 1: ask("history", NotificationHistoryQuery(of: name))
    case 2: ask("inbox", InboxQuery(of: name, limit: 10))
    case 3: ask("status", StatusQuery())
    case 4: ask("metrics", MetricsQuery())
    case 5: ask("export", ExportQuery(of: name, .events(from: nil)))
    default:
      let notification = "\(process?.instance ?? "")-\(random.int(in: 1..<200))"
      ask("explain", NotificationQuery(of: name, notification))
    }
  }

  /// Reloads the configuration. In half of the reloads, the sink counts as a new sink.
  private func reload() {
    let unchangedSinks: Set<String> = random.isOne(of: 2) ? [sink.name] : []
    let configuration = RuntimeConfiguration(
      planner: diary.planner, sinks: [sink], routes: Routes(allTo: sink.name),
      retention: circumstances.retention, unchangedSinks: unchangedSinks)
    post("reload") {
      .adopt(configuration, $0)
    } then: { _ in
    }
  }

  private func backUp() {
    do {
      _ = try SQLiteBackup(ofStoreIn: directory.path, vfs: disk.name)
    } catch {
      if !hasFailed, !disk.isHalted { addFinding("no backup on a healthy disk: \(error)") }
    }
  }

  /// Frees space on the disk. A process that waits for space continues at once.
  func freeSpace() -> WakeUp {
    endFaults()
    post("nothing") {
      .submit([], $0)
    } then: { _ in
    }
    return WakeUp()
  }

  // MARK: - The clock

  /// Begins a leap of the wall clock. A leap that is too short to be trusted begins only if nothing
  /// else happens until its end, so that it must have no effect (rule T6).
  private func leap(by span: TimeSpan, lasting length: TimeSpan) -> WakeUp {
    let end = clocks.now + length
    guard clocks.wallOffset == .zero else { return WakeUp() }
    if length >= TrustedLeap.lengthMin {
      return begin(TrustedLeap(start: clocks.now, end: end), by: span)
    }
    let isUndisturbed = [wake, remainingActions.first?.at].compactMap { $0 }.allSatisfy {
      $0 > end + .seconds(10)
    }
    guard isUndisturbed, outgoing.isEmpty, end < diary.until else { return WakeUp() }
    clocks.wallOffset = span
    untrustedLeapEnd = end
    isRestartedInDoubt = random.isOne(of: 2)
    return WakeUp(clockStepped: true)
  }

  private func begin(_ trustedLeap: TrustedLeap, by span: TimeSpan) -> WakeUp {
    guard trustedLeap.end < diary.until else { return WakeUp() }
    trustedLeaps.append(trustedLeap)
    clocks.wallOffset = span
    trustedLeapEnd = trustedLeap.end
    return WakeUp(clockStepped: true)
  }

  /// Ends a trusted leap.
  func endTrustedLeap() -> WakeUp {
    trustedLeapEnd = nil
    clocks.wallOffset = .zero
    return WakeUp(clockStepped: true)
  }

  /// Restarts the service during a leap that is not trusted, in an orderly way or by a kill. The
  /// next process must not trust the clock either.
  func restartInDoubt(until end: Instant) -> WakeUp {
    isRestartedInDoubt = false
    clocks.advance(to: clocks.now + .milliseconds(Int((end - clocks.now).milliseconds / 2)))
    guard random.isOne(of: 2) else {
      death = .killed
      disk.halt(at: 1)
      return awaken()
    }
    return perform(.restart)
  }

  /// Ends a leap that is not trusted.
  func endLeap(at end: Instant) -> WakeUp {
    clocks.advance(to: end)
    endLeap()
    return WakeUp(clockStepped: true)
  }

  /// Ends a leap at a reboot, if it is not yet trusted, because the next process would trust it at
  /// once. Also ends some trusted leaps.
  func endLeap() {
    untrustedLeapEnd = nil
    isRestartedInDoubt = false
    let isTrusted = trustedLeaps.last.map { clocks.now > $0.start + TrustedLeap.lengthMin } ?? false
    guard trustedLeapEnd == nil || !isTrusted || random.isOne(of: 3) else { return }
    trustedLeapEnd = nil
    clocks.wallOffset = .zero
  }
}
