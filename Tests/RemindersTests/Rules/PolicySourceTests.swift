import JSON
import TestSupport
import Testing
import Yams

@testable import Reminders

/// Rule V18: policies of the configuration, beside those of catalogs.
@Suite struct PolicySourceTests {
  /// Returns the policies of a configuration file.
  private static func policies(_ text: String) throws -> PolicySource {
    let root = try #require(try Yams.compose(yaml: text))
    return PolicySource(
      file: "/etc/chimed.yaml", text: text, policies: try #require(root["policies"]))
  }

  private static func catalog(_ configuration: String?, policies: String = "{}") throws -> Catalog {
    try Catalog(
      reading: [
        CatalogSource(file: "notes.yaml", text: ValidCatalog.text + "\npolicies: \(policies)")
      ], policies: configuration.map { try Self.policies($0) })
  }

  private static let configuration = """
    catalogs: [notes]
    policies:
      caps: {perDay: 4}
      hours:
        - from: "08:00"
          to: "21:00"
          channels: [sms]
          categories: [NOTE]
    """

  @Test func `V18: policies of the configuration apply beside those of catalogs`() throws {
    let catalog = try Self.catalog(
      Self.configuration, policies: "{caps: {perDay: 6, minInterval: 30m}}")
    #expect(catalog.policies.capPerDay == 4)
    #expect(catalog.policies.minimumInterval == 1_800_000)
    #expect(catalog.policies.hours.map(\.categories) == [["NOTE"]])
    let other = try Self.catalog(Self.configuration, policies: "{caps: {perDay: 3}}")
    #expect(other.policies.capPerDay == 3)
  }

  @Test(arguments: [
    (
      "  caps: {perDay: 4}", "  caps: {perDay: 0}",
      "/etc/chimed.yaml:3:18: perDay must be from 1 to 1000; it is 0"
    ),
    (
      "      categories: [NOTE]", "      categories: [NOT]",
      "/etc/chimed.yaml:8:20: the category \"NOT\" is not declared; did you mean \"NOTE\"?"
    ),
    (
      "  caps: {perDay: 4}", "  cap: {perDay: 4}",
      "/etc/chimed.yaml:3:3: the policies has no \"cap\"; did you mean \"caps\"? "
        + "(known: hours, caps, defaults)"
    ),
  ])
  func `V18: a fault in the configuration's policies is reported at its place`(
    right: String, wrong: String, diagnostic: String
  ) throws {
    let text = Self.configuration.replacing(right, with: wrong)
    let errors = #expect(throws: CatalogErrors.self) { try Self.catalog(text) }
    #expect(errors?.description == diagnostic)
  }

  @Test func `V18: policies identify a plan by their values, not by their layout`() throws {
    let fingerprint = try Self.catalog(Self.configuration).fingerprint
    let flow = """
      # In one line
      policies: {caps: {perDay: 4}, hours: [{from: '08:00', to: "21:00", channels: [sms], \
      categories: [NOTE]}]}
      default-zone: UTC
      """
    #expect(try Self.catalog(flow).fingerprint == fingerprint)
    let others = [nil, Self.configuration.replacing("perDay: 4", with: "perDay: 5")]
    for other in others { #expect(try Self.catalog(other).fingerprint != fingerprint) }
  }

  @Test func `T10: stored catalogs include the policies of the configuration`() throws {
    let catalog = try Self.catalog(Self.configuration)
    let restored = try #require(Catalog(storedText: catalog.storedText))
    #expect(restored.fingerprint == catalog.fingerprint)
    #expect(restored.policies == catalog.policies)
    #expect(restored.catalogNames == ["notes"])
    #expect(restored.storedText == catalog.storedText)
  }

  @Test(arguments: ["null", "~", "Null", ""])
  func `a null in one line is a null`(text: String) throws {
    let node = try #require(try Yams.compose(yaml: "{a: \(text), b: 'null', c: ['~']}"))
    #expect(node.inOneLine == "{a: null, b: \"null\", c: [\"~\"]}")
  }

  @Test(arguments: [
    ("{a: [1, b-c.d], e: true}", "{a: [1, b-c.d], e: true}"),
    ("a:\n- '08:00'\n- say \"ä\", [no]\nb: {}", "{a: [\"08:00\", \"say \\\"ä\\\", [no]\"], b: {}}"),
    ("'12'", "\"12\""), ("+1", "+1"), ("-a", "\"-a\""),
  ])
  func `a node in one line has the same values`(text: String, line: String) throws {
    let node = try #require(try Yams.compose(yaml: text))
    #expect(node.inOneLine == line)
    let copy = try #require(try Yams.compose(yaml: line))
    #expect(copy == node)
  }
}
