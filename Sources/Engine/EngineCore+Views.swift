import CivilTime
import Delivery
import Reminders
import Store
import TimerWheel

extension EngineCore {
  /// Answers what changes nothing; true if the request was of that kind.
  func answerAtOnce(_ request: Request, now: Instant) -> Bool {
    switch request {
    case .agenda(let name, let answer):
      do {
        answer(.success(try agenda(of: name, now: now)))
      } catch {
        refuse(request, error)
      }
    case .recipient(let name, let answer):
      do {
        let stored = try store.transaction { try $0.recipient(named: name) }
        answer(.success(stored?.recipient))
      } catch {
        refuse(request, error)
      }
    case .history(let name, let notification, let answer):
      do {
        answer(.success(try history(of: name, notification)))
      } catch {
        refuse(request, error)
      }
    case .analytics(let query, let answer):
      do {
        answer(.success(try analytics(query)))
      } catch {
        refuse(request, error)
      }
    case .usage(let first, let last, let answer):
      do {
        answer(.success(try store.transaction { try $0.usage(from: first, through: last) }))
      } catch {
        refuse(request, error)
      }
    case .export(let name, let place, let answer):
      do {
        answer(.success(try export(name, place)))
      } catch {
        refuse(request, error)
      }
    case .status(let answer): answer(.success(status(now: now)))
    case .metrics(let answer):
      do {
        answer(.success(try metrics(now: now)))
      } catch {
        refuse(request, error)
      }
    case .stop(let answer): answer(.success(()))
    case .submit, .write, .token, .sinkAnswered, .planWith: return false
    }
    return true
  }

  private func agenda(of name: String, now: Instant) throws(StoreError) -> Agenda? {
    let stored = try store.transaction { try $0.recipient(named: name) }
    guard let recipient = stored?.recipient else { return nil }
    let situation = Situation(facts: recipient.facts, planner: planner)
    let entries = recipient.pending(now: now, planner: planner).compactMap { pending in
      entry(pending, in: situation)
    }
    return Agenda(
      recipient: name, zone: situation.zone, isDefaultZone: recipient.facts.zoneName == nil,
      now: now, entries: entries)
  }

  private func entry(_ pending: Pending, in situation: Situation) -> Agenda.Entry? {
    guard let caption = situation.caption(of: pending) else { return nil }
    return Agenda.Entry(
      reminder: caption.reminder, category: caption.category,
      channels: pending.channels.channels, title: caption.title, body: caption.body,
      planned: pending.planned, at: pending.decision.at, outcome: pending.decision.outcome,
      reasons: pending.decision.trace.reasons)
  }

  func status(now: Instant) -> ServiceStatus {
    ServiceStatus(
      now: now, started: started, recipients: recipients, pending: pending, next: next(now: now),
      lanes: lanes.map(status), catalogs: planner.catalog.names,
      zoneDatabase: planner.zones.version, defaultZone: planner.defaultZone.name,
      due: due.count, storageFailure: storageFailure)
  }

  private func status(_ state: LaneState) -> ServiceStatus.Lane {
    let retrying = try? store.transaction { try $0.retryCount(of: state.lane.sink) }
    return ServiceStatus.Lane(
      sink: state.lane.sink, waiting: state.lane.waiting, retrying: retrying ?? 0,
      failure: state.lane.failure)
  }

  /// What is due next and for how many; of them one is looked at for the reminder's name.
  private func next(now: Instant) -> ServiceStatus.Next? {
    guard let soonest = wheel.soonest() else { return nil }
    let stored = try? store.transaction { try $0.recipient(row: soonest.payload) }
    guard let recipient = stored?.recipient else { return nil }
    let first = recipient.pending(now: now, planner: planner).first
    let reminder = first.flatMap { planner.catalog.reminder($0.reminder) }
    return ServiceStatus.Next(
      reminder: reminder?.identifier ?? "", recipients: soonest.count,
      at: Instant(milliseconds: soonest.deadline))
  }
}
