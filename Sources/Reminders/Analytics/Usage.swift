package import CivilTime

/// Counts of use (rule M2), collected in memory. Notifications with the same result, as in a burst
/// of many recipients due at once, increase the same few counts.
package struct Usage: Sendable {
  /// The counts of firings, the decisions about due occurrences. `counts` divides them into keys.
  private var firings = Counter<FiringUse>()
  /// The counts of all use except firings.
  private var keyCounts = Counter<UsageKey>()
  /// The counts of `deliveries`.
  private var delivered = Counter<String>()
  /// The outcomes for apps, in order (rule M6). They are written only if the log of outcomes is on.
  package private(set) var outcomes: [NotificationOutcome] = []
  /// Whether the results of deliveries are added to `outcomes`. If the log is off, false saves
  /// time.
  package var collectsOutcomes = true

  package init() {}

  /// The number of deliveries that sinks accepted, by the identifier of the reminder. It excludes
  /// the inbox, which `FiringUse` counts.
  package var deliveries: [String: Int] { delivered.counts }

  /// Whether `counts` is empty. The counts do not include `deliveries`.
  package var isEmpty: Bool { firings.isEmpty && keyCounts.isEmpty }

  /// The counts by key.
  package var counts: [UsageKey: Int] {
    var counts = keyCounts.counts
    for (use, count) in firings.counts {
      for key in use.keys { counts[key, default: 0] += count }
    }
    return counts
  }

  /// Counts the use by one firing, or by `count` firings with equal use.
  package mutating func add(_ use: FiringUse, _ count: Int = 1) {
    firings.add(use, count)
  }

  /// Counts the category channels that a change of facts switched off, and the preset that the
  /// switches now match (rule P4).
  package mutating func add(
    changeFrom before: Facts, to after: Facts, at time: Instant, planner: Planner
  ) {
    guard before.settings != after.settings else { return }
    let old = PlanningContext(facts: before, planner: planner)
    let new = PlanningContext(facts: after, planner: planner)
    let hour = LocalHour(time, in: new.zone)
    for (index, category) in planner.catalog.categories.enumerated() {
      let switchedOff = old.categoryChannels[index].subtracting(new.categoryChannels[index])
      for channel in switchedOff.channels where old.settings.isOn(.master) {
        keyCounts.add(UsageKey(.switchedOff, at: hour, category: category.name, channel: channel))
      }
    }
    let preset = planner.catalog.currentPreset(new.settings)
    if preset != planner.catalog.currentPreset(old.settings) {
      keyCounts.add(UsageKey(.preset, at: hour, category: preset, channel: nil))
    }
  }

  /// Counts the result of a dispatched delivery. Ignores the inbox, whose items are delivered when
  /// they are recorded.
  package mutating func add(
    _ measure: UsageMeasure, _ delivery: Delivery, at instant: Instant, reason: Gate? = nil
  ) {
    guard delivery.channel != .inapp else { return }
    if measure == .delivered { delivered.add(delivery.reminder) }
    guard let offset = delivery.offset else { return }
    keyCounts.add(
      UsageKey(
        measure, at: LocalHour(instant, offset), category: delivery.category,
        channel: delivery.channel, reason: reason))
    guard collectsOutcomes else { return }
    if let outcome = NotificationOutcome(measure, delivery, at: instant, reason) {
      outcomes.append(outcome)
    }
  }

  /// Adds an outcome that is not the result of a dispatched delivery.
  package mutating func log(_ outcome: NotificationOutcome) { outcomes.append(outcome) }

  /// Removes the outcomes of an erased recipient.
  package mutating func forgetOutcomes(of row: UInt32) { outcomes.removeAll { $0.row == row } }

  /// Adds the counts of another collection.
  package mutating func add(_ other: Usage) {
    firings.add(other.firings)
    keyCounts.add(other.keyCounts)
    delivered.add(other.delivered)
    outcomes += other.outcomes
  }

  /// Counts a recipient's action on a notification, such as opening it.
  package mutating func add(
    _ measure: UsageMeasure, category: String, channels: ChannelSet, at hour: LocalHour
  ) {
    for channel in channels.channels {
      keyCounts.add(UsageKey(measure, at: hour, category: category, channel: channel))
    }
  }
}

/// The use of notifications that one firing, a decision about a due occurrence, adds to the counts.
/// Firings of a burst often add equal use.
package struct FiringUse: Hashable, Sendable {
  private let category: String
  private let channels: ChannelSet
  /// The measure of the firing's result.
  private let result: UsageMeasure
  /// The first gate that dropped the occurrence; nil for another result.
  private let reason: Gate?
  /// The planned hour; nil unless this is the first evaluation of the occurrence's gates.
  private let planned: LocalHour?
  /// The local hour of the decision.
  private let hour: LocalHour
  private let isFirstEvaluation: Bool

  package init(_ firing: Firing, category: String, zone: Zone, _ offset: ClockOffset) {
    self.category = category
    channels = firing.channels
    result = UsageMeasure(firing.result)
    reason = result == .dropped ? firing.trace.firstDrop : nil
    hour = LocalHour(firing.at, offset)
    isFirstEvaluation = firing.isFirstEvaluation
    planned = isFirstEvaluation ? LocalHour(firing.planned, in: zone) : nil
  }

  /// The keys under which the firing counts, on each of its channels.
  var keys: [UsageKey] {
    channels.channels.flatMap { channel -> [UsageKey] in
      var keys: [UsageKey] = []
      if let planned {
        keys.append(UsageKey(.planned, at: planned, category: category, channel: channel))
      }
      // Only the first hold counts.
      if result != .held || isFirstEvaluation {
        keys.append(
          UsageKey(result, at: hour, category: category, channel: channel, reason: reason))
      }
      if result == .sent, channel == .inapp {
        keys.append(UsageKey(.delivered, at: hour, category: category, channel: channel))
      }
      return keys
    }
  }
}

extension UsageMeasure {
  fileprivate init(_ result: Firing.Result) {
    self =
      switch result {
      case .held: .held
      case .finished(.delivered): .sent
      case .finished(.dropped): .dropped
      case .finished(.bundled): .bundled
      }
  }
}

/// Counts by key. A repeated key, as in a burst, costs one comparison and one addition.
package struct Counter<Key: Hashable & Sendable>: Sendable {
  @usableFromInline var totals: [Key: Int] = [:]
  /// The key that was counted last; `totals` excludes its latest `run` counts.
  @usableFromInline var latest: Key?
  @usableFromInline var run = 0

  package init() {}

  package var isEmpty: Bool { latest == nil && totals.isEmpty }

  package var counts: [Key: Int] {
    var counts = totals
    if let latest { counts[latest, default: 0] += run }
    return counts
  }

  @inlinable package mutating func add(_ key: Key, _ count: Int = 1) {
    if latest == key {
      run += count
      return
    }
    if let latest { totals[latest, default: 0] += run }
    latest = key
    run = count
  }

  package mutating func add(_ other: Counter) {
    for (key, count) in other.counts { add(key, count) }
  }
}
