package import CivilTime

/// The time that a wrong clock gave to an event, and the corrected time (rule T11).
package struct CorrectedTime: Hashable, Sendable {
  package let old: Instant
  package let new: Instant

  package init(old: Instant, new: Instant) {
    (self.old, self.new) = (old, new)
  }
}

extension Facts {
  /// Corrects the times of events wherever the facts remember these times.
  ///
  /// - Parameter times: the corrections by the events' order of arrival.
  /// - Returns: the new keys of occurrences whose keys depend on such a time, by their old keys.
  mutating func correct(_ times: [Int64: CorrectedTime]) -> [Int64: Int64] {
    func corrected(_ stamp: Stamp) -> Stamp {
      times[stamp.order].map { Stamp(time: $0.new, order: stamp.order) } ?? stamp
    }
    created = created.map(corrected)
    for index in profile.indices { profile[index].stamp = corrected(profile[index].stamp) }
    for index in settings.indices { settings[index].stamp = corrected(settings[index].stamp) }
    for index in vacations.indices { vacations[index].stamp = corrected(vacations[index].stamp) }
    relations = relations.map { $0.corrected(corrected) }
    for index in devices.indices { devices[index].stamp = corrected(devices[index].stamp) }
    for index in stops.indices { stops[index].stamp = corrected(stops[index].stamp) }
    for index in entityStops.indices {
      entityStops[index].stamp = corrected(entityStops[index].stamp)
    }
    for index in entitySettings.indices {
      entitySettings[index].stamp = corrected(entitySettings[index].stamp)
    }
    for index in cancelledRequests.indices {
      cancelledRequests[index].stamp = corrected(cancelledRequests[index].stamp)
    }
    marks = marks.map { $0.corrected(corrected) }
    requests.change { $0.corrected(corrected) }
    let old = items
    let new = old.map { $0.corrected(corrected) }
    items = new.sorted()
    var keys: [Int64: Int64] = [:]
    for time in times.values { keys[time.old.milliseconds] = time.new.milliseconds }
    for (old, new) in zip(old, new) where old.code != new.code {
      keys[Occurrence.key(old.code)] = Occurrence.key(new.code)
    }
    return keys
  }

  /// Folds events into the facts again, after times were corrected. With the wrong times, an
  /// earlier event may have overridden a later one, and items may have been forgotten.
  ///
  /// Requests and their cancellations are not folded again. Openings are folded again only if the
  /// time of one was corrected. Each adds to a count, so the counts are cleared first.
  ///
  /// - Parameter events: all stored events of the recipient.
  mutating func foldAgain(
    _ events: [(event: Event, order: Int64)], isOpeningCorrected: Bool, _ catalog: Catalog
  ) {
    if isOpeningCorrected { opens = Opens() }
    for (event, order) in events {
      switch event.content {
      case .request, .requestCancellation, .snooze, .erasure: continue
      // The facts already contain the entities whose series these commands end or resume. The
      // entities cannot be determined again, because the facts may no longer plan the occurrences
      // that the commands name.
      case .cancellation(let reminder, _?, isSeries: true) where catalog.hasEntities(reminder),
        .resumption(let reminder, _?, isSeries: true) where catalog.hasEntities(reminder):
        continue
      case .cancellation(let reminder, _, isSeries: true),
        .resumption(let reminder, _, isSeries: true):
        fold(event, order: order, memory: nil, series: catalog.wholeSeries(of: reminder))
      case .opening where !isOpeningCorrected: continue
      default: fold(event, order: order, memory: catalog.memory(of: event.symbol))
      }
    }
  }
}

extension Mark {
  fileprivate func corrected(_ correct: (Stamp) -> Stamp) -> Mark {
    func corrected(_ numbered: Numbered) -> Numbered {
      var numbered = numbered
      numbered.stamp = correct(numbered.stamp)
      return numbered
    }
    return Mark(
      type: type, first: correct(first), last: correct(last), peak: peak.map(corrected),
      reports: reports.map(corrected))
  }
}

extension RequestedNotification {
  /// Returns the request with corrected times. A request without an instant is planned at the time
  /// of its event.
  fileprivate func corrected(_ correct: (Stamp) -> Stamp) -> RequestedNotification {
    var content = content
    let stamp = correct(plan.stamp)
    if plan.planned == plan.stamp.time { content.planned = stamp.time }
    return RequestedNotification(identity: identity, stamp: stamp, content: content)
  }
}

extension Item {
  fileprivate func corrected(_ correct: (Stamp) -> Stamp) -> Item {
    Item(
      type: type, identifier: identifier, stamp: correct(stamp), first: correct(first),
      details: details)
  }
}

extension Recipient {
  /// Corrects the times that a wrong clock gave to events (rule T11).
  ///
  /// - Parameters:
  ///   - times: the corrections by the events' order of arrival.
  ///   - events: all stored events, with corrected times.
  /// - Returns: the new keys of occurrences whose keys depend on such a time, by their old keys.
  package mutating func correct(
    _ times: [Int64: CorrectedTime], folding events: [(event: Event, order: Int64)],
    planner: Planner
  ) -> [Int64: Int64] {
    let keys = facts.correct(times)
    let isOpeningCorrected = events.contains { event, order in
      if case .opening = event.content { times[order] != nil } else { false }
    }
    facts.foldAgain(events, isOpeningCorrected: isOpeningCorrected, planner.catalog)
    for index in progress.finished.indices {
      progress.finished[index].key =
        keys[progress.finished[index].key] ?? progress.finished[index].key
    }
    for index in progress.inProgress.indices {
      progress.inProgress[index].key =
        keys[progress.inProgress[index].key] ?? progress.inProgress[index].key
    }
    forgetFinished(in: PlanningContext(facts: facts, planner: planner))
    return keys
  }
}
