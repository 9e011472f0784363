package import CivilTime
import Reminders
import Store

/// Answers queries beside the engine (rule H6): each from one snapshot of the store and from the
/// engine's published memory.
///
/// Thread-safe. A caller whose request was answered sees its effects in every later query: the
/// answer follows the commit, and a snapshot begins after the query.
package struct Questions: Sendable {
  let readers: any StoreSnapshots
  let published: PublishedView
  let watchers: Watchers
  let tokens: TokenTable
  let instance: String
  /// The damage that queries have met.
  let damage = FoundDamage()

  /// The current planner: catalog, zones and default zone.
  var planner: Planner { published.view.planner }

  /// Signals possible changes of the status, for as long as the watch is kept.
  package func watchStatus(telling signal: StreamSignal) -> ViewWatch {
    published.watch(telling: signal)
  }

  /// Ends all streams.
  func endWatches() {
    watchers.endAll()
    published.endWatches()
  }

  /// The public id of a notification of this store.
  func identifier(of notification: Int64) -> String {
    NotificationID(instance, notification).description
  }

  /// The number of a notification by its public id; nil if the id is invalid or another store's.
  func number(of identifier: String) -> Int64? {
    NotificationID(identifier, of: instance)?.number
  }

  /// Answers once, on this thread; with a refusal if the store cannot be read.
  package func answer(_ question: EngineQuestion, now: Instant) {
    do {
      try answerOrThrow(question, now: now)
    } catch {
      damage.note(error)
      question.refuse(ServiceUnavailable(asking: error))
    }
  }

  private func answerOrThrow(_ question: EngineQuestion, now: Instant) throws(StoreError) {
    switch question {
    case .agenda(let name, let answer): answer(.success(try agenda(of: name, now: now)))
    case .cancelled(let name, let answer):
      answer(.success(try cancelled(of: name, now: now)))
    case .recipient(let name, let answer):
      let stored = try readers.read { try $0.recipient(named: name) }
      answer(.success(stored?.recipient))
    case .history(let name, let notification, let answer):
      answer(.success(try history(of: name, notification)))
    case .analytics(let query, let answer): answer(.success(try analytics(query)))
    case .usage(let first, let last, let answer):
      answer(.success(try readers.read { try $0.usage(from: first, through: last) }))
    case .export(let name, let place, let answer): answer(.success(try export(name, place)))
    case .inbox(let name, let offset, let limit, let answer):
      answer(.success(try inbox(of: name, offset: offset, limit: limit)))
    case .arrived(let name, let answer): answer(.success(try arrived(of: name)))
    case .notificationHistory(let name, let question, let answer):
      answer(.success(try notificationHistory(of: name, question, now: now)))
    case .watch(let name, let start, let signal, let answer):
      answer(elsewhere(name, after: try watch(name, from: start, telling: signal)))
    case .page(let watch, let backlog, let channels, let answer):
      answer(.success(try page(of: watch.recipient, backlog, on: channels)))
    case .feed(let question, let answer): answer(.success(try feed(question)))
    case .deadLetters(let question, let answer): answer(.success(try deadLetters(question)))
    case .deadLetter(let letter, let answer): answer(.success(try deadLetter(letter)))
    case .deadLetterGroups(let grouping, let filter, let answer):
      answer(.success(try deadLetterGroups(grouping, filter, now: now)))
    case .recipients(let question, let answer): answer(.success(try recipients(question)))
    case .prunable(let question, let answer):
      answer(.success(try prunable(question, now: now)))
    case .forecast(let question, let answer):
      answer(.success(try forecast(question, now: now)))
    case .trial(let planner, let days, let answer):
      answer(.success(try trial(of: planner, days: days, now: now)))
    case .ended(let planner, let answer): answer(.success(try ended(by: planner)))
    case .activity(let question, let answer):
      answer(.success(published.activity.activity(question, now: now)))
    case .status(let answer): answer(readStatus(now: now))
    case .metrics(let answer): answer(.success(try metrics(now: now)))
    case .fleet(let answer):
      answer(.success(try readers.read { try $0.fleet().map(FleetOverview.init) }))
    }
  }
}

extension Questions {
  /// Refuses streams of a recipient that another node owns: only the owner's engine signals new
  /// deliveries. Any node answers all other queries, from committed data.
  private func elsewhere(_ name: String, after answer: WatchAnswer) -> Result<
    WatchAnswer, ServiceUnavailable
  > {
    guard case .shards(let own) = published.view.ownership else { return .success(answer) }
    let shard = readers.shard(of: name)
    return own.contains(shard)
      ? .success(answer) : .failure(ServiceUnavailable(elsewhere: shard))
  }
}
