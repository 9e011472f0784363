import Glibc
import JSON
import Testing

/// Rule S6: a start with an invalid configuration uses the last valid one.
@OwnThread @Suite struct SavedConfigurationTests {
  private let workspace: Workspace

  init() throws {
    workspace = try Workspace()
    try Files.write(Array(catalogText), to: catalog)
    mkdir(holidays, 0o700)
    try Files.write(Self.days, to: holidays + "/DE.ics")
    try configure()
  }

  private var file: String { workspace.path + "/chimed.yaml" }
  private var catalog: String { workspace.path + "/ours.yaml" }
  private var holidays: String { workspace.path + "/holidays" }
  private var saved: String { workspace.state + "/configuration.json" }
  private var catalogText: [UInt8] {
    get throws { try Files.read(Project.catalogs + "/imanpath.yaml") }
  }

  private static let days = """
    BEGIN:VCALENDAR\r
    BEGIN:VEVENT\r
    DTSTART;VALUE=DATE:20260101\r
    SUMMARY:Neujahr\r
    END:VEVENT\r
    END:VCALENDAR\r\n
    """

  private func configure(zone: String = "Europe/Berlin", moreLines: String = "") throws {
    try Files.write(
      """
      catalogs: [\(catalog)]
      default-zone: \(zone)
      holidays: \(holidays)
      sinks:
        lines: {type: jsonl, file: "-"}
      \(moreLines)
      """, to: file)
  }

  private func service(environment: [String: String] = [:]) throws -> Service {
    let options = ["--config", file, "--socket", workspace.socket]
    return try Service(
      workspace, arguments: ["serve"] + options + ["--state-directory", workspace.state],
      environment: environment)
  }

  /// Starts with the valid configuration, and stops.
  private func storeValidConfiguration(environment: [String: String] = [:]) throws {
    let service = try service(environment: environment)
    try service.waitUntilReady()
    #expect(try service.stop() == .exited(0))
  }

  enum Mistake: CaseIterable {
    case key, yaml, fileMissing, catalogMissing, catalogInvalid, zone, holidaysInvalid,
      holidaysMissing

    /// The reported location and fault, after the workspace's path.
    var position: String {
      switch self {
      case .key: "/chimed.yaml:6:1: a configuration has no \"color\""
      case .yaml: "/chimed.yaml:6:"
      case .fileMissing: "/chimed.yaml: there is no such file"
      case .catalogMissing: "/chimed.yaml:1:12: "
      case .catalogInvalid: "/ours.yaml:1:1: "
      case .zone: "/chimed.yaml:2:15: the default zone: \"Erope/Berlin\" is not a time zone"
      case .holidaysInvalid: "/holidays/DE.ics:1: "
      case .holidaysMissing: "/chimed.yaml:3:11: "
      }
    }
  }

  private func make(_ mistake: Mistake) throws {
    switch mistake {
    case .key: try configure(moreLines: "color: red")
    case .yaml: try configure(moreLines: "\"")
    case .fileMissing: unlink(file)
    case .catalogMissing: unlink(catalog)
    case .catalogInvalid: try Files.write("catalog: course\n", to: catalog)
    case .zone: try configure(zone: "Erope/Berlin")
    case .holidaysInvalid: try Files.write("nonsense\r\n", to: holidays + "/DE.ics")
    case .holidaysMissing:
      unlink(holidays + "/DE.ics")
      rmdir(holidays)
    }
  }

  @Test(arguments: Mistake.allCases)
  func `S6: a start with an invalid configuration uses the last valid one`(mistake: Mistake) throws
  {
    try storeValidConfiguration()
    try make(mistake)
    let manager = try Manager(in: workspace)
    let service = try service(environment: ["NOTIFY_SOCKET": manager.path])
    try manager.wait(for: service) { $0.messages.contains("READY=1") }
    let position = workspace.path + mistake.position
    #expect(service.log.contains(position), "\(position) is not in \(service.log)")
    #expect(manager.messages.contains { $0.hasPrefix("STATUS=") && $0.contains(position) })
    let status = try service.ask("GET", "/v1/status").body
    #expect(status["reloadFailure"]?.stringValue?.contains(position) == true)
    #expect(status["defaultZone"] == "Europe/Berlin")
    let event = Report.milestone("e1", of: "r1", at: Report.overdue)
    #expect(try service.ask("POST", "/v1/events", event).status == 202)
    #expect(try service.deliveries(1).first?["recipient"] == "r1")
    #expect(try service.ask("POST", "/v1/reload").status == 422)
    // The manager's queue is small, and must have room for the messages of the reload.
    manager.read()
    mkdir(holidays, 0o700)
    try Files.write(Self.days, to: holidays + "/DE.ics")
    try Files.write(catalogText, to: catalog)
    try configure(zone: "Asia/Tokyo")
    #expect(try service.ask("POST", "/v1/reload").status == 200)
    let corrected = try service.ask("GET", "/v1/status").body
    #expect(corrected["reloadFailure"] == .null && corrected["defaultZone"] == "Asia/Tokyo")
    manager.read()
    #expect(try service.stop() == .exited(0))
  }

  @Test func `S6: a reloaded configuration becomes the last valid one`() throws {
    let first = try service()
    try first.waitUntilReady()
    try configure(zone: "Asia/Tokyo")
    #expect(try first.ask("POST", "/v1/reload").status == 200)
    try configure(zone: "Erope/Berlin")
    #expect(try first.ask("POST", "/v1/reload").status == 422)
    #expect(try first.stop() == .exited(0))
    let second = try service()
    try second.waitUntilReady()
    #expect(try second.ask("GET", "/v1/status").body["defaultZone"] == "Asia/Tokyo")
    #expect(try second.stop() == .exited(0))
  }

  @Test func `S6: an invalid configuration is not stored`() throws {
    try storeValidConfiguration()
    let before = try Files.read(saved)
    try make(.key)
    try storeValidConfiguration()
    #expect(try Files.read(saved) == before)
  }

  @Test func `S6: a reload stores no configuration with an unavailable sink`() throws {
    let service = try service()
    try service.waitUntilReady()
    let before = try Files.read(saved)
    try configure(
      zone: "Asia/Tokyo", moreLines: "  other: {type: exec, command: [/nowhere/program]}")
    let reply = try service.ask("POST", "/v1/reload")
    #expect(reply.status == 200 && reply.body["unavailable"]?.arrayValue?.count == 1)
    #expect(try Files.read(saved) == before)
    let check = try service.ask("POST", "/v1/configuration-checks")
    #expect(check.body["sound"] == false, "\(check.body)")
    try configure(zone: "Asia/Tokyo")
    #expect(try service.ask("POST", "/v1/reload").status == 200)
    #expect(try Files.read(saved) != before)
    #expect(try service.stop() == .exited(0))
  }

  @Test(arguments: [nil, "", "{\"at\": \"2026-01-01T00:00:00.000Z\"}", "{\"at\""])
  func `S6: without a stored configuration the start is refused`(saved text: String?) throws {
    if let text { try Files.write(text, to: saved) }
    try make(.key)
    let service = try service()
    while !service.isReady && !service.hasEnded { try service.readOutput() }
    #expect(try service.process.finish() == .exited(78))
    #expect(service.log.contains(workspace.path + Mistake.key.position))
    #expect(
      service.log.contains("\(saved)\(text == nil ? ": there is no such file" : ": is damaged")"))
  }

  /// Expects one entry with this text and both faults, without an escaped line break.
  private func expectEntry(_ text: String, in log: String) {
    let faults = [": a configuration has no \"color\"", "; \(file):2:15: the default zone: "]
    let entry = log.split(separator: "\n").first { $0.contains(text) } ?? ""
    for fault in faults { #expect(entry.contains(fault), "\(fault) is not in \(log)") }
    #expect(!entry.contains("\\n"), "\(entry)")
  }

  @Test func `S6: all faults of a start or a reload are joined in one entry of the journal`() throws
  {
    func breakConfiguration() throws {
      try configure(zone: "Erope/Berlin", moreLines: "color: red")
    }
    try breakConfiguration()
    let refused = try service()
    while !refused.hasEnded { try refused.readOutput() }
    #expect(try refused.process.finish() == .exited(78))
    expectEntry("; and no earlier configuration can be used: ", in: refused.log)
    try configure()
    try storeValidConfiguration()
    try breakConfiguration()
    let service = try service()
    try service.waitUntilReady()
    expectEntry("the configuration is invalid; the one saved at ", in: service.log)
    #expect(try service.ask("POST", "/v1/reload").status == 422)
    try service.waitUntilLogged("the new configuration was rejected: ")
    expectEntry("the new configuration was rejected: ", in: service.log)
    #expect(try service.stop() == .exited(0))
  }

  @Test func `S6: no secret is stored, and a missing one is reported`() throws {
    let secret = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"
    try Files.write("whsec_\(secret)\n", to: workspace.path + "/hook")
    let hook = "  hook: {type: webhook, url: \"https://127.0.0.1/\", secret: {credential: hook}}"
    try configure(moreLines: hook + "\nroutes: {push: [lines]}")
    let credentials = ["CREDENTIALS_DIRECTORY": workspace.path]
    try storeValidConfiguration(environment: credentials)
    #expect(!String(decoding: try Files.read(saved), as: UTF8.self).contains(secret))
    var status = stat()
    #expect(stat(saved, &status) == 0 && status.st_mode & 0o777 == 0o600)
    try make(.yaml)
    let first = try service(environment: credentials)
    try first.waitUntilReady()
    #expect(first.log.contains("it uses the current secrets: hook"))
    #expect(try first.stop() == .exited(0))
    unlink(workspace.path + "/hook")
    let second = try service(environment: credentials)
    try second.waitUntilReady()
    #expect(second.log.contains("the credential \"hook\" is missing"))
    #expect(try second.stop() == .exited(0))
  }
}
