/// The current names of renamed reminders, by their former names (`was`, rule T10).
package struct Renaming: Sendable {
  private(set) var names: [Symbol: Symbol] = [:]

  package var isEmpty: Bool { names.isEmpty }

  /// Adds a former name of a reminder, unless the former name is already another reminder's.
  ///
  /// - Returns: whether the name was added.
  mutating func add(_ former: Symbol, to name: Symbol) -> Bool {
    guard names[former] == nil else { return false }
    names[former] = name
    return true
  }

  subscript(symbol: Symbol) -> Symbol { names[symbol] ?? symbol }
}

extension Recipient {
  /// Gives renamed reminders their current names in the recipient's data: in finished, held and
  /// cancelled occurrences, in batches, and in ended series.
  ///
  /// - Returns: whether the facts have changed.
  @discardableResult
  package mutating func rename(by renaming: Renaming) -> Bool {
    guard !renaming.isEmpty else { return false }
    progress.rename(by: renaming)
    return facts.rename(by: renaming)
  }
}

extension Progress {
  fileprivate mutating func rename(by renaming: Renaming) {
    for index in inProgress.indices {
      inProgress[index].reminder = renaming[inProgress[index].reminder]
    }
    for index in cancelled.indices {
      cancelled[index].reminder = renaming[cancelled[index].reminder]
    }
    for index in batches.indices { batches[index].reminder = renaming[batches[index].reminder] }
    batches.sort { $0.isBefore($1.reminder, $1.subject) }
    // Each reminder's latest outcomes are listed first. Outcomes under its current name are later
    // than those under former names.
    let withCurrentName = finished.filter { renaming[$0.reminder] == $0.reminder }
    let withFormerName = finished.filter { renaming[$0.reminder] != $0.reminder }
    guard !withFormerName.isEmpty else { return }
    finished = withCurrentName + withFormerName
    for index in finished.indices { finished[index].reminder = renaming[finished[index].reminder] }
    let order = finished.indices.sorted {
      (finished[$0].reminder, $0) < (finished[$1].reminder, $1)
    }
    finished = order.map { finished[$0] }
  }
}

extension Facts {
  /// Gives renamed reminders their current names in ended series.
  ///
  /// - Returns: whether the facts have changed.
  @discardableResult
  mutating func rename(by renaming: Renaming) -> Bool {
    guard !renaming.isEmpty else { return false }
    let renamed = stops.filter { renaming[$0.reminder] != $0.reminder }
    let renamedEntities = entityStops.filter { renaming[$0.reminder] != $0.reminder }
    // The paths are hashes, so the paths of two former names may be equal. No other code checks
    // that.
    let paths = Dictionary(
      renaming.names.map { (Stop.resumption(of: $0.key), Stop.resumption(of: $0.value)) },
      uniquingKeysWith: min)
    let resumed = settings.filter { paths[$0.path] != nil }
    guard !renamed.isEmpty || !renamedEntities.isEmpty || !resumed.isEmpty else { return false }
    entityStops.removeAll { renaming[$0.reminder] != $0.reminder }
    for var stop in renamedEntities {
      stop.reminder = renaming[stop.reminder]
      note(stop)
    }
    stops.removeAll { renaming[$0.reminder] != $0.reminder }
    for stop in renamed { self.stop(renaming[stop.reminder], at: stop.stamp) }
    settings.removeAll { paths[$0.path] != nil }
    for register in resumed {
      let path = paths[register.path] ?? register.path
      set(SettingChange(path: path, value: register.value), at: register.stamp)
    }
    return true
  }
}
