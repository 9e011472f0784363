import API
import Access
import ArgumentParser
import CivilTime
import Delivery
import Foundation
import Glibc
import Reminders
import Sinks
import SocketLocation

/// What the service runs with: what the command line says, and the configuration file for the rest.
struct ServiceSetup {
  let stateDirectory: String
  /// Where it listens.
  let location: SocketLocation
  let access: AccessOptions
  let planning: PlanningOptions
  let delivery: DeliveryConfiguration
  let clockPatience: TimeSpan

  /// - Throws: what is wrong in the file, or what neither says and has to be said.
  init(_ command: ServeCommand) throws {
    try self.init(command, ConfigurationFile.read(command.config))
  }

  init(_ command: ServeCommand, _ file: ConfigurationFile) throws {
    let environment = ProcessInfo.processInfo.environment
    guard
      let stateDirectory = command.stateDirectory ?? file.stateDirectory
        ?? environment["STATE_DIRECTORY"]
    else { throw Self.missing("--state-directory", "state-directory") }
    self.stateDirectory = stateDirectory
    clockPatience = file.clockPatience
    let socket = command.socket ?? file.socket
    location =
      socket.map { SocketLocation(path: $0) } ?? .server(environment: environment, user: getuid())
    access = try command.access.completed(by: file)
    delivery = command.sink?.configuration ?? file.delivery
    guard !delivery.sinks.isEmpty else { throw Self.missing("--sink", "sinks") }
    planning = command.planning.completed(by: file, requirements: delivery.requirements)
    guard !planning.catalog.isEmpty else { throw Self.missing("--catalog", "catalogs") }
  }

  func planner(zones: ZoneDatabase) throws -> Planner {
    try planning.planner(zones: zones, unrouted: delivery.routes.unrouted)
  }

  private static func missing(_ option: String, _ key: String) -> ValidationError {
    ValidationError("Missing \(option), or \(key) in the file that --config names.")
  }
}

extension AccessOptions {
  func completed(by file: ConfigurationFile) throws -> AccessOptions {
    var options = self
    if listen == nil, let text = file.listen {
      guard let address = TCPAddress(text) else {
        throw ValidationError(
          "listen is \"\(text)\"; it must be ADDRESS:PORT, such as 127.0.0.1:7411, or a port.")
      }
      options.listen = address
    }
    if host.isEmpty { options.host = file.hosts }
    if jwtKeys == nil {
      options.jwtKeys = file.tokens.keys
      options.jwtIssuer = file.tokens.issuer
      options.jwtAudience = file.tokens.audience
    }
    return options
  }
}

extension PlanningOptions {
  func completed(
    by file: ConfigurationFile, requirements: [Channel: Requirement] = [:]
  ) -> PlanningOptions {
    var options = self
    if catalog.isEmpty { options.catalog = file.catalogs }
    if defaultZone == nil { options.defaultZone = file.defaultZone }
    if holidays == nil { options.holidays = file.holidays }
    if daysOff.isEmpty { options.daysOff = file.daysOff }
    let said = Set(requires.map(\.channel))
    options.requires += requirements.filter { !said.contains($0.key) }.map {
      RequirementOption(channel: $0.key, requirement: $0.value)
    }
    return options
  }
}
