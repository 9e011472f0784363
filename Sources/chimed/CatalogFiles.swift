import Foundation
import Reminders

/// Finds catalog files by name or path.
struct CatalogFiles {
  /// Where a catalog that is given by its name is looked for, in order.
  let directories: [String]

  static var standard: CatalogFiles {
    let environment = ProcessInfo.processInfo.environment["CHIMED_CATALOGS"]
    let given = environment.map { $0.split(separator: ":").map(String.init) } ?? []
    return CatalogFiles(
      directories: given + ["/etc/chimed/catalogs", "/usr/share/chimed/catalogs"])
  }

  func catalog(_ names: [String]) throws -> Catalog {
    try Catalog(reading: names.map(source))
  }

  private func source(_ name: String) throws -> CatalogSource {
    let path = try path(name)
    do {
      return CatalogSource(file: path, text: try String(contentsOfFile: path, encoding: .utf8))
    } catch {
      throw CatalogErrors(diagnostics: [
        Diagnostic(file: path, message: "cannot be read as UTF-8 text")
      ])
    }
  }

  private func path(_ name: String) throws -> String {
    let isPath = name.contains("/") || name.hasSuffix(".yaml") || name.hasSuffix(".yml")
    let candidates = isPath ? [name] : directories.map { "\($0)/\(name).yaml" }
    if let path = candidates.first(where: FileManager.default.fileExists) { return path }
    let places = isPath ? "" : " (looked in \(directories.joined(separator: ", ")))"
    throw CatalogErrors(diagnostics: [
      Diagnostic(file: name, message: "there is no such catalog\(places)")
    ])
  }
}
