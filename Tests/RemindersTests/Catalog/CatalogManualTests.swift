import Foundation
import JSON
import Testing

@testable import Reminders

/// The manual page chimed-catalog(5) documents every key that the reader accepts.
@Suite struct CatalogManualTests {
  private let manual: [String]

  init() throws {
    let page = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../config/manual/chimed-catalog.5").standardized
    manual = try String(contentsOf: page, encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// The texts of the manual's examples.
  private var examples: [String] {
    // The lines before and after an example begin with these macros.
    let sections = manual.split { $0.hasPrefix(".Bd ") || $0 == ".Ed" }
    return sections.enumerated().filter { $0.offset % 2 == 1 }.map {
      $0.element.joined(separator: "\n")
    }
  }

  @Test func `the example of the manual is valid`() throws {
    try #require(examples.count == 1)
    let catalog = try Fixtures.read(examples[0])
    #expect(catalog.catalogNames == ["surgery"])
    #expect(
      catalog.reminders.map(\.identifier)
        == ["visit-ahead", "evening-walk", "evening-walk+1", "evening-walk+2"])
  }

  /// A catalog with an unknown key or value in each mapping. For each of these, the reader's error
  /// lists the known keys or values.
  private static let invalidCatalog = """
    catalog: x
    zzz: 1
    events:
      e: {i: identifier, n: {number: [1, 2], keep: highest, zzz: 1}}
      f: {l: {list: {A: [a, b]}, zzz: 1}}
      g: {k: zzz}
      h: {n: {number: [1, 2], keep: zzz}}
      o: {l: {list: {A: {zzz: 1}}}}
      q: {isOn: flag}
    categories:
      D: {title: T, channels: {push: true}, actions: {a: {zzz: 1}}}
      C: {title: T, channels: {push: true, zzz: 1}, urgency: zzz, quiet: zzz, overCap: zzz, zzz: 1}
      E: {title: T, channels: {push: true}, confirm: {zzz: 1}}
    groups:
      g: {enabled: true, p: {choice: [a, b], zzz: 1}, s: {selection: [a, b]}}
    titles:
      de: {zzz: 1}
    defaults: {zzz: 1, hints: {zzz: 1, preview: zzz}}
    digest: {title: t, zzz: 1, locales: {de: {title: t, zzz: 1}}}
    presets:
      zzz: {}
      minimal: {channels: zzz, zzz: 1}
    policies: {caps: {zzz: 1}, hours: [{zzz: 1}], zzz: 1}
    reminders:
      a:
        category: C
        group: g
        expires: 1h
        every: {day: {at: "10:00", zzz: 1}, zzz: 1}
        pause: {zzz: 1}
        having: {zzz: 1}
        skip: {zzz: 1}
        again: {zzz: 1}
        escalate: [{zzz: 1}]
        upcoming: {zzz: 1}
        unless: {zzz: 1}
        topics: $p
        messages: [{title: t, body: b, locales: {de: {zzz: 1}}, zzz: 1}]
        zzz: 1
      b: {every: {week: {zzz: 1}}}
      c: {every: {day: {spread: 1, zzz: 1}}}
      o: {every: {day: {pick: {zzz: 1}, zzz: 1}}}
      p: {every: {year: {calendar: hebrew, zzz: 1}}}
      d: {after: {event: lesson.completed, highest: day, zzz: 1}, while: {day: {zzz: 1}}}
      e: {before: {zzz: 1}}
      j: {past: {zzz: 1}, where: {number: 1}}
      k: {on: {event: e, delay: 1s}, where: {n: {zzz: 1}}}
      l: {on: {event: milestone.reached, since: relapse, freeze: {zzz: 1}}}
      m: {on: {event: e, delay: 1s}, where: {i: {given: true, zzz: 1}}}
      n: {every: {day: {at: "10:00"}}, group: g, topics: $s, messages: [{zzz: 1}]}
      q: {on: {event: q, delay: 1s}, opens: none, flags: {isOn: {zzz: 1}}}
      f: {idle: {zzz: 1}}
      h: {on: {event: relapse, batch: {zzz: 1}, zzz: 1}, opens: zzz, flags: {zzz: 1}}
      "i-{days}": {on: {event: milestone.reached, delay: 1s, since: relapse, zzz: 1},
        milestones: {1: {name: a, meaning: b, locales: {de: {zzz: 1}}, zzz: 1}}}
    """

  private static func words(_ lines: [String]) -> Set<String> {
    Set(lines.flatMap { line in line.split { !$0.isLetter }.map(String.init) })
  }

  /// The keys and values that the errors about `invalidCatalog` list as known.
  private var knownWords: Set<String> {
    do {
      _ = try Fixtures.read(Self.invalidCatalog)
      return []
    } catch {
      let lists = "\(error)".split(separator: "\n").compactMap { line in
        line.firstRange(of: "(known: ").map { String(line[$0.upperBound...]) }
      }
      return Self.words(lists)
    }
  }

  /// Returns the keys that a schema describes, at any depth.
  private static func keys(in schema: JSONValue) -> Set<String> {
    var keys: Set<String> = []
    for member in schema.objectValue ?? [:] {
      if member.key == "properties" {
        keys.formUnion((member.value.objectValue ?? [:]).map(\.key))
      }
      keys.formUnion(Self.keys(in: member.value))
    }
    for value in schema.arrayValue ?? [] { keys.formUnion(Self.keys(in: value)) }
    return keys
  }

  @Test func `G12: the schema has exactly the keys that the reader knows`() {
    let schemaKeys = Self.keys(in: MappingKeys.catalog.schema(titled: "catalog"))
    // The reader of a group lists no keys, because every other name is a parameter.
    #expect(schemaKeys.subtracting(knownWords).sorted() == ["enabled"])
    // The other known words must be values, not keys.
    let values = knownWords.subtracting(schemaKeys)
    #expect(values.isDisjoint(with: ["title", "event", "every", "hints", "locales", "channels"]))
  }

  @Test func `the manual documents every key`() {
    let macros = [".Cm ", ".It Cm ", ".Li ", ".Pq Cm ", ".Pq Li "]
    let documented = Self.words(manual.filter { line in macros.contains { line.hasPrefix($0) } })
    #expect(knownWords.count > 80, "the reader's messages do not list the known keys")
    #expect(knownWords.subtracting(documented).sorted() == [])
  }
}
