import Engine
import HummingbirdCore
import JSON
import Reminders

/// The loaded catalogs with a submitted text as one of them. Creating a draft loads nothing.
struct CatalogDraft {
  /// The limits on the length of a text in bytes and on the number of its YAML aliases. Aliases can
  /// contain aliases, so eight of them can repeat a part of the text up to 18 times.
  private static let lengthMax = 1 << 18
  private static let aliasesMax = 8

  /// The sources of all catalogs, the submitted one included.
  let sources: [CatalogSource]
  /// The policies of the configuration, which apply in addition to those of the catalogs.
  private let policies: PolicySource?
  /// The name of the submitted catalog.
  let name: String
  /// The names of the loaded catalogs and of the configuration, by file.
  private let namesByFile: [String: String]

  /// - Parameters:
  ///   - name: the catalog to replace; an unknown name adds a catalog.
  ///   - catalog: the loaded catalogs.
  init(_ text: String, named name: String, among catalog: Catalog) throws(Problem) {
    guard text.utf8.count <= Self.lengthMax else {
      throw Problem(
        .invalidBody, "a catalog may have at most \(Self.lengthMax) bytes here", path: "source")
    }
    guard Self.aliases(in: text) <= Self.aliasesMax else {
      throw Problem(
        .invalidBody, "a catalog may have at most \(Self.aliasesMax) YAML aliases here",
        path: "source")
    }
    self.name = name
    let source = CatalogSource(file: name, text: text)
    var sources = catalog.sources
    if let index = catalog.catalogNames.firstIndex(of: name), sources.indices.contains(index) {
      sources[index] = source
    } else {
      sources.append(source)
    }
    self.sources = sources
    policies = catalog.policySource
    var namesByFile = Dictionary(
      zip(catalog.sources.map(\.file), catalog.catalogNames),
      uniquingKeysWith: { first, _ in first })
    if let file = catalog.policySource?.file {
      namesByFile[file] = file.split(separator: "/").last.map(String.init)
    }
    self.namesByFile = namesByFile
  }

  /// Counts possible YAML aliases; it may count too many, never too few.
  private static func aliases(in text: String) -> Int {
    zip(text.utf8, text.utf8.dropFirst()).count { mark, next in
      mark == UInt8(ascii: "*") && next > UInt8(ascii: " ") && next != UInt8(ascii: "*")
    }
  }

  /// Reads all catalogs together; fails with their errors.
  func read() -> Result<Catalog, CatalogErrors> {
    Result { () throws(CatalogErrors) in try Catalog(reading: sources, policies: policies) }
  }

  /// Returns the refusal of an invalid draft.
  func problem(_ errors: CatalogErrors) -> Problem {
    let faults = faults(errors)
    return Problem(
      .invalidBody, "the catalog is invalid: \(faults.first?.message ?? "")", path: "source",
      faults: faults)
  }

  /// Returns all faults, those of the submitted text first.
  func faults(_ errors: CatalogErrors) -> [Fault] {
    let faults = errors.diagnostics.map { diagnostic in
      let isInRequest = diagnostic.file == name
      return Fault(
        diagnostic, isInRequest: isInRequest,
        named: isInRequest ? name : namesByFile[diagnostic.file] ?? "")
    }
    return faults.filter(\.isInRequest) + faults.filter { !$0.isInRequest }
  }
}

extension Planner {
  /// Returns a copy with another catalog.
  func with(_ catalog: Catalog) -> Planner {
    Planner(
      catalog: catalog, zones: zones, defaultZone: defaultZone, holidays: holidays,
      requirements: requirements, unroutedChannels: unroutedChannels)
  }
}
