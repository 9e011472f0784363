import CivilTime
import Foundation
import Outbox
import Reminders
import Sinks
import Testing
import Yams

/// Rule D2: sinks and routes in the configuration file.
@Suite struct DeliveryConfigurationTests {
  private func read(
    _ text: String
  ) throws -> (configuration: DeliveryConfiguration, problems: [String]) {
    let root = try #require(try Yams.compose(yaml: text))
    var reader = DeliveryConfigurationReader(file: "f")
    let configuration = reader.read(sinks: root["sinks"], routes: root["routes"])
    return (configuration, reader.diagnostics.map { "\($0)" })
  }

  @Test func `sinks and routes are read as declared`() throws {
    let (configuration, problems) = try read(
      """
      sinks:
        log: {type: exec, command: /a, requires: email, deadline: 2s, concurrency: 3, rate: 100}
        lines: {type: jsonl, file: "-"}
      routes: {push: [lines, log], email: log}
      """)
    #expect(problems.isEmpty)
    #expect(configuration.sinks.map(\.type) == ["exec", "jsonl"])
    let log = try #require(configuration.sinks.first)
    #expect(
      log.common
        == SinkCommonSettings(name: "log", deadline: .seconds(2), concurrency: 3, rate: 100))
    #expect(configuration.routes == Routes([.push: ["lines", "log"], .email: ["log"]]))
    #expect(configuration.routes.next(after: "lines", on: .push) == "log")
    #expect(configuration.routes.next(after: "log", on: .push) == nil)
    #expect(configuration.requirements == [.email: .email])
  }

  /// Returns the manual's section on a type of sink.
  private func section(of type: String) throws -> String {
    let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
    let manual = try String(contentsOfFile: root + "/config/manual/chimed.yaml.5", encoding: .utf8)
    let sinks = try #require(manual.components(separatedBy: "The types, and what each").last)
    let section = sinks.components(separatedBy: ".It Cm ").first { $0.hasPrefix(type + "\n") }
    return try #require(section?.components(separatedBy: "\n.El").first)
  }

  @Test(arguments: SinkTypes.all.map { $0.type }) func `the manual describes each key of a sink`(
    type: String
  ) throws {
    let kind = try #require(SinkTypes.all.first { $0.type == type })
    // The manual describes the keys of a pipe as those of exec.
    let words = try section(of: type == "pipe" ? "exec" : type).split { " \n".contains($0) }
    for key in kind.keys { #expect(words.contains(Substring(key.name)), "\(key.name)") }
  }

  @Test func `without routes, a single sink serves all channels`() throws {
    let (configuration, problems) = try read("sinks: {log: {type: journal}}")
    #expect(problems.isEmpty)
    #expect(configuration.routes == Routes(allTo: "log"))
    #expect(configuration.requirements.isEmpty)
  }

  @Test func `M1: analytics have their own route`() throws {
    let sinks = "sinks: {log: {type: journal}, lines: {type: jsonl, file: \"-\"}}"
    for route in ["lines", "[lines]"] {
      let (configuration, problems) = try read(
        sinks + "\nroutes: {push: [log], analytics: \(route)}")
      #expect(problems == [])
      #expect(configuration.routes == Routes([.push: ["log"]], analytics: "lines"))
    }
  }

  @Test func `M6: outcomes have their own route, beside that of analytics`() throws {
    let (configuration, problems) = try read(
      "sinks: {log: {type: journal}, lines: {type: jsonl, file: \"-\"}}\n"
        + "routes: {push: [log], analytics: log, outcomes: [lines]}")
    #expect(problems == [])
    var routes = Routes([.push: ["log"]], analytics: "log")
    routes.outcomes = "lines"
    #expect(configuration.routes == routes)
  }

  @Test(arguments: AnalyticsRoute.allCases)
  func `a route of analytics events does not change the single sink's routes`(
    route: AnalyticsRoute
  ) throws {
    let (configuration, problems) = try read(
      "sinks: {log: {type: journal}}\nroutes: {\(route.rawValue): [log]}")
    #expect(problems == [])
    var routes = Routes(allTo: "log")
    routes.analytics = route == .analytics ? "log" : nil
    routes.outcomes = route == .outcomes ? "log" : nil
    #expect(configuration.routes == routes)
  }

  @Test(arguments: [
    (
      "sinks: {a: {type: stream}}\nroutes: {analytics: [a]}",
      "f:2:21: \"a\" is of type stream, which does not support analytics; these do: "
        + "exec, journal, jsonl, pipe, webhook"
    ),
    (
      "sinks: {a: {type: journal}, b: {type: journal}}\nroutes: {analytics: [a, b]}",
      "f:2:21: analytics go to one sink, not to 2; forward them from that sink"
    ),
    ("sinks: {a: {type: journal}}\nroutes: {analytics: [b]}", "f:2:22: \"b\" is not a sink"),
    (
      "sinks: {a: {type: stream}}\nroutes: {outcomes: [a]}",
      "f:2:20: \"a\" is of type stream, which does not support outcomes; these do: "
        + "exec, journal, jsonl, pipe, webhook"
    ),
    (
      "sinks: {a: {type: journal}}\nroutes: {analytics: a, outcomes: a}",
      "f:2:34: \"a\" is also the route of analytics, which carries outcomes if they have no "
        + "route; remove the route of outcomes, and set outcomes: true"
    ),
    ("sinks: {a: {type: jounal}}", "f:1:19: there is no sink of type \"jounal\""),
    ("sinks: {a: {file: x}}", "f:1:12: the sink \"a\" needs \"type\""),
    ("sinks: {a: {type: jsonl}}", "f:1:12: the sink \"a\" needs \"file\""),
    ("sinks: {a: {type: journal, file: x}}", "f:1:28: the sink \"a\" has no \"file\""),
    ("sinks: {a: {type: desktop, recipient: b, deadline: 1h}}", "f:1:52: deadline must be from"),
    (
      "sinks: {a: {type: jsonl, file: x, deadline: 2s}}",
      "f:1:45: deadline has no effect on a sink of type jsonl, which never waits: remove it"
    ),
    ("sinks: {a: {type: journal, deadline: 2s}}", "f:1:38: deadline has no effect on a sink of"),
    ("sinks: {a: {type: stream, deadline: 2s}}", "f:1:37: deadline has no effect on a sink of"),
    (
      "sinks: {a: {type: jsonl, file: x, concurrency: 2}}",
      "f:1:48: concurrency has no effect on a sink of type jsonl, "
        + "which sends one delivery at a time"
    ),
    ("sinks: {a: {type: journal, concurrency: 2}}", "f:1:41: concurrency has no effect on a"),
    ("sinks: {a: {type: stream, concurrency: 2}}", "f:1:40: concurrency has no effect on a"),
    (
      "sinks: {a: {type: desktop, recipient: b, concurrency: 2}}",
      "f:1:55: concurrency has no effect on a sink of type desktop"
    ),
    ("sinks: {a: {type: journal, rate: 0}}", "f:1:34: rate must be from 1 to 1000000"),
    ("sinks: {a: {type: journal, requires: fax}}", "f:1:38: requires must be one of"),
    (
      "sinks: {a: {type: journal, receipts: {from: json}}}",
      "f:1:38: receipts of the sink \"a\" needs \"secret\""
    ),
    (
      "sinks: {a: {type: journal, receipts: {from: fax, secret: {credential: s}}}}",
      "f:1:45: from is \"fax\""
    ),
    (
      "sinks: {a: {type: journal, receipts: {from: twilio, secret: {credential: s}}}}",
      "f:1:38: url must be the https address that Twilio calls"
    ),
    (
      "sinks: {a: {type: journal, receipts: {from: json, secret: s}}}",
      "f:1:59: secret must be {credential: NAME}"
    ),
    (
      "sinks: {a: {type: journal, receipts: {from: json, secret: {credential: s}, stats: {}}}}",
      "f:1:76: receipts of the sink \"a\" has no \"stats\""
    ),
    (
      "sinks: {a: {type: journal, receipts: {from: json, secret: {file: /s}, states: {gone: x}}}}",
      "f:1:80: states of the sink \"a\" has no \"gone\""
    ),
    (
      "sinks: {a: {type: journal, replies: {from: ses, secret: {credential: s}}}}",
      "f:1:44: from is \"ses\"; known are json, twilio"
    ),
    (
      "sinks: {a: {type: journal, replies: {from: twilio, secret: {credential: s}}}}",
      "f:1:37: url must be the https address that Twilio calls"
    ),
    ("sinks: {a: {type: journal}}\nroutes: {fax: a}", "f:2:10: routes has no \"fax\""),
    ("sinks: {a: {type: journal}}\nroutes: {push: b}", "f:2:16: \"b\" is not a sink"),
    ("sinks: {a: {type: journal}}\nroutes: {push: [a, a]}", "f:2:20: \"a\" is already in"),
  ])
  func `a faulty declaration is reported with its location`(text: String, problem: String) throws {
    let (_, problems) = try read(text)
    #expect(problems.count == 1)
    #expect(problems.first?.hasPrefix(problem) == true, "\(problems)")
  }
}
