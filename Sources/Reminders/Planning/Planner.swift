package import CivilTime
package import Holidays

/// The inputs of planning that all recipients share, such as the catalog and the zones. It is a
/// class, because every recipient's context refers to it.
package final class Planner: Sendable {
  package let catalog: Catalog
  package let zones: ZoneDatabase
  /// The zone of recipients who have no zone (rule T4).
  package let defaultZone: Zone
  /// The public holidays of the known regions; nil if there are none.
  package let holidays: HolidayDatabase?
  /// The kind of address that the sinks of each channel need (rule D2). The sinks of a channel
  /// without an entry need none.
  package let requirements: [Channel: Requirement]
  /// The channels without a sink, which reach no recipient.
  package let unroutedChannels: ChannelSet
  /// The settings of recipients who have changed no setting.
  let initialSettings: Settings
  /// The channels on which each category is on for recipients who have changed no setting, by the
  /// index of the category.
  let initialChannels: [ChannelSet]
  /// The messages that are equal for all recipients, by reminder and template.
  private let fixedMessages: [[Message?]]

  package init(
    catalog: Catalog, zones: ZoneDatabase, defaultZone: Zone,
    holidays: HolidayDatabase? = nil, requirements: [Channel: Requirement] = [:],
    unroutedChannels: ChannelSet = []
  ) {
    self.catalog = catalog
    self.zones = zones
    self.defaultZone = defaultZone
    self.holidays = holidays
    self.requirements = requirements
    self.unroutedChannels = unroutedChannels
    initialSettings = Settings(schema: catalog.settings, registers: [])
    initialChannels = PlanningContext.categoryChannels(of: catalog, initialSettings)
    fixedMessages = catalog.fixedMessages
  }

  /// Returns the message of a template; nil if it depends on the occurrence or the recipient.
  func fixedMessage(of reminder: Symbol, template: Int) -> Message? {
    catalog.reminderIndices[reminder].flatMap { fixedMessages[$0][template] }
  }

  /// Returns a copy with other zones.
  package func renewed(zones: ZoneDatabase, defaultZone: Zone) -> Planner {
    Planner(
      catalog: catalog, zones: zones, defaultZone: defaultZone, holidays: holidays,
      requirements: requirements, unroutedChannels: unroutedChannels)
  }

  /// Returns a copy with another catalog.
  package func renewed(catalog: Catalog) -> Planner {
    Planner(
      catalog: catalog, zones: zones, defaultZone: defaultZone, holidays: holidays,
      requirements: requirements, unroutedChannels: unroutedChannels)
  }

  /// Returns the zone of a recipient. The default zone replaces a missing zone (rule T4). It also
  /// replaces a zone with neither rules nor last known rules (rule T9); see ``zoneFault(of:)``.
  package func zone(of facts: Facts) -> Zone {
    facts.zoneName.flatMap { try? zones.zone(named: $0) } ?? defaultZone
  }

  /// Returns the reason why a recipient's zone has no rules in the current tz database; nil if it
  /// has rules. The default zone is examined for a recipient without a zone.
  package func zoneFault(of facts: Facts) -> ZoneFault? {
    zones.fault(of: facts.zoneName ?? defaultZone.name)
  }

  /// Returns whether a recipient follows the default zone: the recipient has no zone, or one with
  /// neither rules nor last known rules.
  package func isZoneDefault(of facts: Facts) -> Bool {
    guard facts.zoneName != nil else { return true }
    return zoneFault(of: facts).map { !$0.hasLastKnownRules } ?? false
  }
}

/// The address that a sink needs to reach a recipient (rule D2).
package enum Requirement: String, CaseIterable, Sendable {
  case device, email, phone
}

#if DEBUG
  import Synchronization

  /// Counts steps of work, for the tests that prove how cost grows (rule H6).
  package final class WorkMeter: Sendable {
    private let steps = Atomic(0)
    private let stepsByTime = Atomic(0)

    package init() {}

    package var total: Int { steps.load(ordering: .relaxed) + byTime }

    /// The number of steps that grows with the span of time, and not with the data. Such a step
    /// examines an instant of a series, or an instant that may have capacity under the caps.
    package var byTime: Int { stepsByTime.load(ordering: .relaxed) }

    func add(_ count: Int) { steps.add(count, ordering: .relaxed) }

    func addByTime() { stepsByTime.add(1, ordering: .relaxed) }
  }
#endif

/// Counts the work that grows with a recipient's data. Does nothing in release builds.
package enum Work {
  #if DEBUG
    @TaskLocal package static var meter: WorkMeter?
  #endif

  /// Counts elements that were visited.
  @inline(__always)
  static func count(_ steps: @autoclosure () -> Int) {
    #if DEBUG
      meter?.add(steps())
    #endif
  }

  /// Counts one step, such as a look-up in a sorted or hashed collection.
  @inline(__always)
  static func countStep() { count(1) }

  /// Counts an examined instant. A longer span of time has more such instants.
  @inline(__always)
  static func countByTime() {
    #if DEBUG
      meter?.addByTime()
    #endif
  }
}

extension Planner {
  /// The maximum number of zones without rules that are reported. A database without its legacy
  /// names lacks about a hundred zones.
  private static let faultsMax = 8

  /// Returns warnings about planning data that is old or that ends within a year (rule T1).
  ///
  /// - Parameter regions: the regions that recipients have named. If nil, there are warnings about
  ///   all known regions, and also about zones without rules.
  package func dataWarnings(at now: Instant, regions: Set<String>? = nil) -> [String] {
    let holidayWarnings = holidays?.endWarnings(at: defaultZone.date(at: now), of: regions) ?? []
    let faults = regions == nil ? zones.faults.prefix(Self.faultsMax).map(\.description) : []
    return faults + [zones.ageWarning(at: now)].compactMap { $0 } + holidayWarnings
  }

  /// Returns the earliest instant, in the default zone, at which the known holidays of one of these
  /// regions end. Returns nil if no end is known.
  package func holidaysEnd(of regions: Set<String>) -> Instant? {
    holidays?.firstUnknownDate(of: regions).map {
      defaultZone.instant(of: LocalDateTime(date: $0, secondOfDay: 0))
    }
  }
}

extension PlanningContext {
  /// The reason why the recipient's zone has no rules in the current tz database; nil if it has
  /// rules.
  package var zoneFault: ZoneFault? { planner.zoneFault(of: facts) }

  /// Whether the recipient follows the default zone: the recipient has no zone, or one with neither
  /// rules nor last known rules.
  package var isZoneDefault: Bool { planner.isZoneDefault(of: facts) }

  /// Returns warnings about the data on which a plan for an instant depends; nil if there are none.
  func planningDataWarning(at instant: Instant) -> String? {
    let warnings = [zoneFault?.description, holidayWarning(at: instant)].compactMap { $0 }
    return warnings.isEmpty ? nil : warnings.joined(separator: "; ")
  }

  /// Returns the warning that the known holidays of the recipient's region end within a year after
  /// an instant; otherwise nil.
  private func holidayWarning(at instant: Instant) -> String? {
    guard let region = facts.profile(.holidays),
      let calendar = try? planner.holidays?.calendar(of: region)
    else { return nil }
    return calendar.endWarning(at: zone.date(at: instant))
  }
}
