import CivilTime
import Glibc
import JSON
import Testing

/// Rules T1 and T4 for the running program: when a package manager upgrades the tz database,
/// occurrences in local time move once, without a restart.
@OwnThread @Suite struct TimeZoneTests {
  private static let canada = """
    Rule Canada 2007 max - Mar Sun>=8 2:00 1:00 D
    Rule Canada 2007 max - Nov Sun>=1 2:00 0 S
    Zone UTC 0 - UTC
    Zone America/Vancouver -8:00 Canada P%sT
    """
  private static let oldRules = "# version 2025b\n\(canada)\n"
  /// Rules by which Vancouver has the same offset all year from 2026 on.
  private static let newRules = "# version 2026f\n\(canada) 2026 Mar 8 2:00\n\t-7:00 - MST\n"

  private let workspace: Workspace
  private let directory: String

  init() throws {
    workspace = try Workspace()
    directory = workspace.path + "-zones"
  }

  /// Writes the files of a tz database with these rules.
  private func compile(_ rules: String, to directory: String) throws {
    let source = workspace.path + "/rules"
    try Files.write(rules, to: source)
    let zic = try ChildProcess("/usr/sbin/zic", ["-b", "fat", "-d", directory, source])
    guard try zic.finish() == .exited(0) else {
      throw Failure(String(decoding: zic.errors.take(), as: UTF8.self))
    }
    try Files.write(rules, to: directory + "/tzdata.zi")
  }

  /// Replaces the database's files as dpkg does: it writes each under another name and renames it.
  private func upgrade(to rules: String) throws {
    let next = directory + "-next"
    try compile(rules, to: next)
    for name in ["UTC", "America/Vancouver", "tzdata.zi"] {
      let file = directory + "/" + name
      try Files.write(try Files.read(next + "/" + name), to: file + ".dpkg-new")
      _ = try Failure.check("rename", rename(file + ".dpkg-new", file))
    }
    try remove(next)
  }

  private func remove(_ directory: String) throws {
    _ = try ChildProcess("/bin/rm", ["-r", directory]).finish()
  }

  /// Returns the instants of the check-ins in the next 366 days, as the service plans them.
  private func checkins(_ service: Service) throws -> [Instant] {
    let timeline = try service.ask("GET", "/v1/recipients/amina/ahead?days=366").body["timeline"]
    let instants = timeline?.arrayValue?.filter { $0["reminder"] == "daily-checkin-reminder" }
    return (instants ?? []).compactMap { $0["planned"]?.stringValue.flatMap { Instant($0) } }
  }

  /// Returns the times of day (UTC) of those instants that are on 25 December.
  private func atChristmas(_ instants: [Instant]) -> [String] {
    instants.map(\.description).filter { $0.dropFirst(5).hasPrefix("12-25") }
      .map { String($0.suffix(13)) }
  }

  private func report(_ type: String, _ data: String, to service: Service) throws {
    let event = """
      {"specversion":"1.0","id":"\(type)","source":"tests","type":"\(type)","subject":"amina",\
      "data":\(data)}
      """
    #expect(try service.ask("POST", "/v1/events", event).status == 202)
  }

  @Test func `T4: a zone that an upgrade removes keeps its rules, also after a restart`() throws {
    try compile(Self.oldRules, to: directory)
    defer { try? remove(directory) }
    func start() throws -> Service {
      let service = try Service(
        workspace, arguments: Service.arguments(workspace), environment: ["TZDIR": directory])
      try service.waitUntilReady()
      return service
    }
    let first = try start()
    try report("recipient.updated", #"{"timezone":"America/Vancouver"}"#, to: first)
    let planned = try checkins(first)
    unlink(directory + "/America/Vancouver")
    let loss = "no zone \"America/Vancouver\", and its last known rules apply"
    try first.waitUntilLogged(loss)
    #expect(try checkins(first) == planned)
    #expect(try first.stop() == .exited(0))

    let second = try start()
    try second.waitUntilLogged("(1 recipient)")
    #expect(try checkins(second) == planned)
    let warnings = try second.ask("GET", "/v1/status").body["dataWarnings"]?.arrayValue
    #expect(warnings?.first?.stringValue?.contains(loss) == true)
    let amina = try second.ask("GET", "/v1/recipients/amina").body
    #expect(amina["zone"] == "America/Vancouver" && amina["zoneIsDefault"] == false)
    #expect(amina["zoneFault"]?.stringValue?.contains(loss) == true)
    let ahead = try second.ask("GET", "/v1/recipients/amina/ahead?days=1").body
    #expect(ahead["zoneFault"]?.stringValue?.contains(loss) == true)
    let metrics = try second.ask("GET", "/metrics").body.stringValue
    #expect(metrics?.contains("\nchimed_lost_zone_recipients 1\n") == true)
    #expect(try second.stop() == .exited(0))
    // The check finds the rules in the store, so it reports the missing zone only as a remark.
    let check = try ChildProcess(
      Project.chimed, ["--check-config"] + Service.arguments(workspace).dropFirst(),
      environment: ["CHIMED_CATALOGS": Project.catalogs, "TZDIR": directory])
    #expect(try check.finish() == .exited(0))
    let output = String(decoding: check.output.take(), as: UTF8.self)
    let remarks = output.split(separator: "\n").filter { $0.hasPrefix("remark: ") }
    #expect(remarks.contains { $0.contains(loss) }, "\(output)")
  }

  @Test func `T1: an upgrade moves pending occurrences once`() throws {
    try compile(Self.oldRules, to: directory)
    defer { try? remove(directory) }
    let service = try Service(
      workspace, arguments: Service.arguments(workspace), environment: ["TZDIR": directory])
    try service.waitUntilReady()
    try report("recipient.updated", #"{"timezone":"America/Vancouver"}"#, to: service)
    try report(
      "preferences.updated", #"{"reminders":{"checkin":{"time":"09:00"}}}"#, to: service)
    #expect(try atChristmas(checkins(service)) == ["17:00:00.000Z"])

    try upgrade(to: Self.newRules)
    try service.waitUntilLogged("the tz database is now 2026f")
    let moved = try checkins(service)
    #expect(atChristmas(moved) == ["16:00:00.000Z"])
    #expect(moved.allSatisfy { $0.description.hasSuffix("16:00:00.000Z") })
    #expect(try service.ask("GET", "/v1/status").body["zoneDatabase"] == "2026f")
    let entries = service.log.split(separator: "\n").filter { $0.contains("tz database") }
    #expect(entries.count == 1)
    #expect(entries.first?.contains("1 of 1 recipients live there and were replanned") == true)

    try Files.write("", to: directory + "/America/Vancouver")
    try Files.write("", to: directory + "/UTC")
    try service.waitUntilLogged("the tz database has changed and cannot be used")
    #expect(try checkins(service) == moved)
    #expect(try service.stop() == .exited(0))
  }
}
