import API
import Access
import CivilTime
import Outbox
import Reminders
import Sinks
import Store
import Yams

/// The contents of a configuration file. Settings that the file does not contain have their
/// defaults.
struct ConfigurationFile {
  /// Whether the file could be parsed.
  var isRead = true
  /// Whether the file has the key `sinks`, valid or not.
  var declaresSinks = false
  var stateDirectory: String?
  /// The libpq connection string of a PostgreSQL database; nil for a file in the state directory.
  var database: String?
  /// The settings of a node of a fleet; nil for a single service.
  var fleet: FleetSettings?
  /// The path of the Unix socket.
  var socket: String?
  /// The TCP address to listen on, or a port of the loopback; nil for none.
  var listen: String?
  /// The additional host names by which clients may call the service.
  var hosts: [String] = []
  /// The address of links in notifications; nil if there are no links.
  var publicURL: PublicURL?
  /// The origins of pages that may call the service.
  var origins: [PageOrigin] = []
  /// The interfaces of apps that are served beside `/v1`.
  var interfaces = Set(AppInterface.allCases)
  var tokens = WebTokens()
  /// The console in the browser; nil if it is disabled.
  var console: ConsoleSettings? = ConsoleSettings()
  /// The names or paths of the catalogs.
  var catalogs: [String] = []
  /// The name of the zone of recipients whose own zone is unknown.
  var defaultZone: String?
  /// The directory of public holidays; nil for the installed one.
  var holidays: String?
  /// The paths of iCalendar files with days off for all recipients.
  var daysOff: [String] = []
  /// The policies in addition to those of the catalogs (rule V18).
  var policies: PolicySource?
  /// How long a forward jump of the clock must last before the service trusts the clock again (rule
  /// T6).
  var clockTrustAfter = TimeSpan.minutes(5)
  /// How long the store keeps each kind of record (rule H7).
  var retention = Retention()
  /// The share of recipients that is audited each night (rule L7); nil if none is.
  var auditShare: Double?
  /// Whether outcomes of notifications are recorded for apps (rule M6).
  var logsOutcomes = false
  /// The settings of tracing; nil if no traces are exported.
  var tracing: TracingSettings?
  /// The sinks and the routes.
  var delivery = DeliveryConfiguration(sinks: [], routes: Routes([:]))
  /// The positions at which files, catalogs, zones and sinks are named.
  var positions = ConfigurationPositions()
  /// The settings as the file contains them, for display.
  var stated = StatedSettings()

  /// The keys for verifying JSON Web Tokens, and the required claims.
  struct WebTokens {
    /// The path of the file of public keys; nil if no tokens are accepted.
    var keys: String?
    /// The required issuer; nil for any.
    var issuer: String?
    /// The required audience; nil for any.
    var audience: String?
  }

  /// Reads a configuration file; without a path, all settings have their defaults.
  ///
  /// - Throws: all faults, with line and column.
  static func read(
    _ path: String?, in files: SettingsFiles
  ) throws(ConfigurationErrors) -> ConfigurationFile {
    let (file, diagnostics) = readWithFaults(at: path, in: files)
    guard diagnostics.isEmpty else { throw ConfigurationErrors(diagnostics: diagnostics) }
    return file
  }

  /// Returns the settings that could be read, together with all faults.
  static func readWithFaults(
    at path: String?, in files: SettingsFiles
  ) -> (file: ConfigurationFile, diagnostics: [Diagnostic]) {
    guard let path else { return (ConfigurationFile(), []) }
    do throws(Diagnostic) {
      let text = try files.text(at: path)
      var reader = ConfigurationFileReader(file: path)
      return (reader.read(text), reader.diagnostics)
    } catch {
      return (ConfigurationFile(isRead: false), [error])
    }
  }
}

/// All faults of a configuration file.
struct ConfigurationErrors: Error, CustomStringConvertible {
  let diagnostics: [Diagnostic]

  var description: String { diagnostics.map(\.description).joined(separator: "\n") }
}

/// The positions at which a configuration file names files, catalogs, zones and sinks. An error
/// about one of these can then give the line.
struct ConfigurationPositions {
  private var positions: [String: Diagnostic] = [:]

  /// Records the position of a file, a catalog or a zone.
  mutating func note(_ name: String, _ node: Node, in file: String) {
    guard let mark = node.mark, positions[name] == nil else { return }
    positions[name] = Diagnostic(file: file, line: mark.line, column: mark.column, message: "")
  }

  mutating func note(sink name: String, _ node: Node, in file: String) {
    note(Self.key(sink: name), node, in: file)
  }

  /// Returns a fault of a whole file, with the position at which the configuration names the file.
  /// Returns nil if there is no such position, or if the fault has its own line.
  func located(_ diagnostic: Diagnostic, as message: String? = nil) -> Diagnostic? {
    guard diagnostic.line == 0 else { return nil }
    return diagnosis(of: diagnostic.file, message ?? "\(diagnostic)")
  }

  /// Returns a fault of a sink with the position at which the configuration names the sink; nil if
  /// there is no such position.
  func located(sink name: String, _ message: String) -> Diagnostic? {
    diagnosis(of: Self.key(sink: name), message)
  }

  private func diagnosis(of name: String, _ message: String) -> Diagnostic? {
    positions[name].map {
      Diagnostic(file: $0.file, line: $0.line, column: $0.column, message: message)
    }
  }

  /// Returns the key of a sink, which cannot equal the name of a file, a catalog or a zone.
  private static func key(sink name: String) -> String { "sink\0" + name }
}
