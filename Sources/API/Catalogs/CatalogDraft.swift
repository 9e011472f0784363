import Engine
import HummingbirdCore
import JSON
import Reminders

/// Catalogs as they would be with another text for one of them: nothing of it is in force.
struct CatalogDraft {
  /// The limits on the length of a text in bytes, and on its YAML aliases: an alias may stand for
  /// others, so that eight repeat a part of the text up to 18 times.
  private static let lengthMax = 1 << 18
  private static let aliasesMax = 8

  let sources: [CatalogSource]
  /// What the text is called.
  let name: String

  /// - Parameters:
  ///   - name: whose place it takes; a further one if there is no such catalog.
  ///   - catalog: what is loaded.
  init(_ text: String, named name: String, among catalog: Catalog) throws(Problem) {
    guard text.utf8.count <= Self.lengthMax else {
      throw Problem(
        .invalidBody, "a catalog may have \(Self.lengthMax) bytes here", path: "source")
    }
    guard Self.aliases(in: text) <= Self.aliasesMax else {
      throw Problem(
        .invalidBody, "a catalog may have \(Self.aliasesMax) YAML aliases here", path: "source")
    }
    self.name = name
    let source = CatalogSource(file: name, text: text)
    var sources = catalog.sources
    if let index = catalog.names.firstIndex(of: name), sources.indices.contains(index) {
      sources[index] = source
    } else {
      sources.append(source)
    }
    self.sources = sources
  }

  /// What stands where an alias could: too many rather than too few.
  private static func aliases(in text: String) -> Int {
    zip(text.utf8, text.utf8.dropFirst()).count { mark, next in
      mark == UInt8(ascii: "*") && next > UInt8(ascii: " ") && next != UInt8(ascii: "*")
    }
  }

  /// The catalogs together, or what is wrong with them.
  func read() -> Result<Catalog, CatalogErrors> {
    Result { () throws(CatalogErrors) in try Catalog(reading: sources) }
  }

  /// Why nothing can be said of what the text would do.
  func problem(_ errors: CatalogErrors) -> Problem {
    Problem(
      .invalidBody, "the catalog is not sound: \(problems(errors).first?.message ?? "")",
      path: "source")
  }

  /// What is wrong, first of all with the text itself.
  func problems(_ errors: CatalogErrors) -> [Diagnostic] {
    errors.diagnostics.filter { $0.file == name } + errors.diagnostics.filter { $0.file != name }
  }
}

extension Planner {
  /// The same with another catalog.
  func with(_ catalog: Catalog) -> Planner {
    Planner(
      catalog: catalog, zones: zones, defaultZone: defaultZone, holidays: holidays,
      requirements: requirements, unrouted: unrouted)
  }
}
