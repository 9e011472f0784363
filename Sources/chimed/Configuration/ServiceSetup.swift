import API
import Access
import ArgumentParser
import CivilTime
import Foundation
import Glibc
import Outbox
import PostgresStore
import Reminders
import Sinks
import Store
import Systemd

/// The service's settings. The command line overrides the configuration file.
struct ServiceSetup {
  /// The state directory; nil if none is specified.
  let stateDirectory: String?
  /// The PostgreSQL database; nil for a file in the state directory.
  let database: PostgresDatabase?
  /// The settings of a node of a fleet; nil for a single service.
  let fleet: FleetSettings?
  /// The Unix socket to listen on.
  let location: SocketLocation
  /// The listeners, host names and JSON Web Tokens, from the command line and the file.
  let access: AccessOptions
  /// The catalogs, the default zone, holidays and requirements, from the command line and the file.
  let planning: PlanningOptions
  /// The policies in addition to those of the catalogs; nil if there are none.
  let policies: PolicySource?
  let delivery: DeliveryConfiguration
  /// How long a forward jump of the clock must last before the service trusts the clock again.
  let clockTrustAfter: TimeSpan
  let retention: Retention
  /// The share of recipients that is audited each night; nil if none is.
  let auditShare: Double?
  /// The settings of tracing; nil if no traces are exported.
  let tracing: TracingSettings?
  /// The console in the browser; nil if it is disabled.
  let console: ConsoleSettings?
  /// The origins of pages that may call the service.
  let origins: [PageOrigin]
  /// The address of links in notifications; nil if there are no links.
  let publicURL: PublicURL?
  /// The interfaces of apps that are served beside `/v1`.
  let interfaces: Set<AppInterface>

  /// - Parameter flaws: receives missing required settings and contradictions.
  init(
    _ command: ServeCommand, _ file: ConfigurationFile, _ flaws: inout InvalidConfigurationError
  ) {
    let environment = ProcessInfo.processInfo.environment
    clockTrustAfter = file.clockTrustAfter
    retention = file.retention
    auditShare = file.auditShare
    tracing = file.tracing
    console = file.console
    origins = file.origins
    publicURL = file.publicURL
    interfaces = file.interfaces
    stateDirectory =
      command.stateDirectory ?? file.stateDirectory ?? environment["STATE_DIRECTORY"]
    database = file.database.map { PostgresDatabase($0) }
    fleet = file.fleet
    let socket = command.socket ?? file.socket
    location =
      socket.map { SocketLocation(path: $0) } ?? .server(environment: environment, user: getuid())
    access = flaws.recordingFault { try command.access.completed(by: file) } ?? command.access
    var delivery = command.sink?.configuration ?? file.delivery
    delivery.routes.logsOutcomes = file.logsOutcomes || delivery.routes.outcomes != nil
    self.delivery = delivery
    if delivery.sinks.isEmpty, file.isRead, !file.declaresSinks {
      flaws.add(Self.missing("--sink", "sinks"))
    }
    policies = file.policies
    planning = command.planning.completed(by: file, requirements: delivery.requirements)
    // A configuration file may omit catalogs, so that nothing is sent yet.
    if command.config == nil, planning.catalog.isEmpty {
      flaws.add(Self.missing("--catalog", "catalogs"))
    }
  }

  /// The additional host names by which clients may call the service, with that of the public URL.
  var hosts: [String] { access.host + (publicURL.map { [$0.host] } ?? []) }

  /// The names of the apps' interfaces, separated by commas.
  var interfaceNames: String {
    AppInterface.allCases.filter(interfaces.contains).map(\.rawValue).joined(separator: ", ")
  }

  /// Returns the state directory; throws an error that names the setting if none is specified.
  func requiredStateDirectory() throws -> String {
    guard let stateDirectory else { throw Self.missingStateDirectory }
    return stateDirectory
  }

  static var missingStateDirectory: ValidationError {
    missing("--state-directory", "state-directory")
  }

  private static func missing(_ option: String, _ key: String) -> ValidationError {
    ValidationError("Missing \(option), or \(key) in the file that --config names.")
  }
}

extension AccessOptions {
  /// Returns the options of the command line, completed by those of the configuration file.
  func completed(by file: ConfigurationFile) throws -> AccessOptions {
    var options = self
    if listen == nil, let text = file.listen {
      guard let address = TCPAddress(text) else {
        let message =
          "listen is \"\(text)\"; it must be ADDRESS:PORT, such as 127.0.0.1:7411, or a port"
        throw file.positions.located(Diagnostic(file: text, message: message), as: message)
          ?? ValidationError(message)
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
  /// Returns the options of the command line, completed by those of the configuration file.
  ///
  /// - Parameter requirements: what the sinks of each channel require.
  func completed(
    by file: ConfigurationFile, requirements: [Channel: Requirement] = [:]
  ) -> PlanningOptions {
    var options = self
    if catalog.isEmpty { options.catalog = file.catalogs }
    if defaultZone == nil { options.defaultZone = file.defaultZone }
    if holidays == nil { options.holidays = file.holidays }
    if daysOff.isEmpty { options.daysOff = file.daysOff }
    let optionChannels = Set(requires.map(\.channel))
    options.requires += requirements.filter { !optionChannels.contains($0.key) }.map {
      RequirementOption(channel: $0.key, requirement: $0.value)
    }
    return options
  }
}
