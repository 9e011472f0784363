import API
import Access
import CivilTime
import Holidays
import Outbox
import Reminders
import Sinks
import Systemd

/// The result of reading a configuration from the command line and its files: the usable settings
/// and all faults. Reading changes nothing.
struct ConfigurationReading {
  let setup: ServiceSetup
  /// The planner; nil if any of its inputs is invalid.
  private(set) var planner: Planner?
  /// The rules for verifying JSON Web Tokens; nil if none are accepted.
  private(set) var rules: WebTokenRules?
  private(set) var flaws: InvalidConfigurationError
  let shown: ShownConfiguration
  /// Descriptions of the secrets that this process cannot check.
  private(set) var unchecked: [String] = []
  /// The positions at which the configuration file names files, catalogs, zones and sinks.
  private let positions: ConfigurationPositions

  init(_ command: ServeCommand, from files: SettingsFiles, zones: ZoneDatabase) {
    let (file, diagnostics) = ConfigurationFile.readWithFaults(at: command.config, in: files)
    positions = file.positions
    var flaws = InvalidConfigurationError()
    for diagnostic in diagnostics { flaws.add(diagnostic) }
    setup = ServiceSetup(command, file, &flaws)
    shown = ShownConfiguration(setup, command, file.stated)
    self.flaws = flaws
    readPlanner(from: files, zones)
    readRules(from: files)
  }

  private mutating func readPlanner(from files: SettingsFiles, _ zones: ZoneDatabase) {
    let planning = setup.planning
    let zone = zone(planning, zones)
    let catalog = catalog(planning, from: files)
    let holidays = holidays(planning, from: files)
    guard let zone, let catalog, let holidays else { return }
    planner = Planner(
      catalog: catalog, zones: zones, defaultZone: zone, holidays: holidays,
      requirements: planning.requirements, unrouted: setup.delivery.routes.unrouted)
  }

  private mutating func zone(_ planning: PlanningOptions, _ zones: ZoneDatabase) -> Zone? {
    do {
      return try zones.zone(named: planning.zoneName)
    } catch {
      let diagnostic = Diagnostic(file: planning.zoneName, message: "\(error)")
      flaws.add(positions.located(diagnostic, as: "the default zone: \(error)") ?? error)
      return nil
    }
  }

  private mutating func catalog(
    _ planning: PlanningOptions, from files: SettingsFiles
  ) -> Catalog? {
    do throws(CatalogErrors) {
      return try CatalogFiles.standard(files).catalog(planning.catalog)
    } catch {
      let located = error.diagnostics.map { positions.located($0) ?? $0 }
      flaws.add(CatalogErrors(diagnostics: located))
      return nil
    }
  }

  /// Reads the holidays. The outer optional is nil after a fault; the inner one is nil if there are
  /// no holidays.
  private mutating func holidays(
    _ planning: PlanningOptions, from files: SettingsFiles
  ) -> HolidayDatabase?? {
    do {
      return .some(try planning.holidayDatabase(from: files))
    } catch let error as HolidayErrors {
      for diagnostic in error.diagnostics {
        let withoutLine = Diagnostic(file: diagnostic.file, message: diagnostic.message)
        flaws.add((diagnostic.line == 0 ? positions.located(withoutLine) : nil) ?? diagnostic)
      }
    } catch {
      flaws.add(error)
    }
    return nil
  }

  private mutating func readRules(from files: SettingsFiles) {
    do {
      rules = try setup.access.webTokenRules(from: files)
    } catch let diagnostic as Diagnostic {
      flaws.add(positions.located(diagnostic) ?? diagnostic)
    } catch {
      flaws.add(error)
    }
  }

  /// Checks the sinks' settings and secrets.
  ///
  /// - Parameters:
  ///   - unchanged: the names of sinks that are not checked.
  ///   - isService: whether this process has the service's secrets.
  mutating func checkSinks(
    except unchanged: [String] = [], _ credentials: Credentials, isService: Bool = true
  ) {
    for sink in setup.delivery.sinks where !unchanged.contains(sink.common.name) {
      do {
        try sink.check(credentials: credentials)
      } catch let flaw where !isService && flaw.lacksOnlyCredentials {
        let secrets = sink.credentialNames.filter(Credentials.isName)
        unchecked.append(
          "the secret \(secrets.joined(separator: ", ")) of the sink "
            + "\"\(sink.common.name)\", which only the service manager provides")
      } catch {
        flaws.add(outage: positions.located(sink: sink.common.name, "\(error)") ?? error)
      }
    }
  }
}
