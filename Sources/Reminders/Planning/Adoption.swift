package import CivilTime
import JSON

/// The adoption of catalogs and settings, which decide about all recipients from an instant on
/// (rule H31).
package struct Adoption: Hashable, Sendable {
  package let at: Instant
  /// The fingerprint of the catalogs and of the configuration's policies (`Catalog.storedText`).
  package let catalogs: String
  /// The release of the tz database.
  package let zones: String
  /// The other settings of planning, as canonical JSON.
  package let settings: String

  package init(at: Instant, catalogs: String, zones: String, settings: String) {
    (self.at, self.catalogs, self.zones, self.settings) = (at, catalogs, zones, settings)
  }

  package init(of planner: Planner, at instant: Instant) {
    var requirements = JSONObject()
    for channel in Channel.allCases {
      requirements[channel.name] = planner.requirements[channel].map { .string($0.rawValue) }
    }
    let settings: JSONValue = [
      "defaultZone": .string(planner.defaultZone.name), "requirements": .object(requirements),
      "unrouted": .array(planner.unroutedChannels.channels.map { .string($0.name) }),
    ]
    self.init(
      at: instant, catalogs: planner.catalog.fingerprint, zones: planner.zones.version,
      settings: String(decoding: JSONWriter.canonical(settings), as: UTF8.self))
  }

  /// Returns whether two adoptions decide alike.
  package func decides(like other: Adoption) -> Bool {
    (catalogs, zones, settings) == (other.catalogs, other.zones, other.settings)
  }

  /// Returns a planner with the adopted settings, and with the tz database and the holidays of
  /// another planner. Returns nil if the settings cannot be read, or if the tz database lacks the
  /// default zone.
  ///
  /// - Parameter catalog: the adopted catalogs.
  package func planner(with catalog: Catalog, like current: Planner) -> Planner? {
    guard let settings = try? JSONParser.parse(settings),
      let name = settings["defaultZone"]?.stringValue,
      let defaultZone = try? current.zones.zone(named: name)
    else { return nil }
    var requirements: [Channel: Requirement] = [:]
    for channel in Channel.allCases {
      let name = settings["requirements"]?[channel.name]?.stringValue
      requirements[channel] = name.flatMap(Requirement.init)
    }
    let unrouted = settings["unrouted"]?.arrayValue?.compactMap(\.stringValue) ?? []
    let unroutedChannels = Channel.allCases.filter { unrouted.contains($0.name) }
    return Planner(
      catalog: catalog, zones: current.zones, defaultZone: defaultZone,
      holidays: current.holidays, requirements: requirements,
      unroutedChannels: ChannelSet(unroutedChannels.map { ChannelSet($0) }))
  }
}
