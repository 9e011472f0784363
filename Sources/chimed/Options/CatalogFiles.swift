import Foundation
import Reminders

/// Finds catalog files by name or path.
struct CatalogFiles {
  /// The directories to search for catalogs by name, in order.
  let directories: [String]

  private let files: SettingsFiles

  static func standard(_ files: SettingsFiles) -> CatalogFiles {
    let environment = ProcessInfo.processInfo.environment["CHIMED_CATALOGS"]
    let given = environment.map { $0.split(separator: ":").map(String.init) } ?? []
    return CatalogFiles(
      directories: given + ["/etc/chimed/catalogs", "/usr/share/chimed/catalogs"], files: files)
  }

  /// - Throws: all faults of the files, and missing files.
  func catalog(_ names: [String]) throws(CatalogErrors) -> Catalog {
    var sources: [CatalogSource] = []
    var missing: [Diagnostic] = []
    for name in names {
      do throws(CatalogErrors) {
        sources.append(try source(name))
      } catch {
        missing += error.diagnostics
      }
    }
    guard !missing.isEmpty else { return try Catalog(reading: sources) }
    // Report the faults of the other files too, because no second check follows. Some of them may
    // be consequences of the missing files.
    let others =
      sources.isEmpty ? nil : Result { () throws(CatalogErrors) in try Catalog(reading: sources) }
    if case .failure(let errors)? = others { missing += errors.diagnostics }
    throw CatalogErrors(diagnostics: missing)
  }

  private func source(_ name: String) throws(CatalogErrors) -> CatalogSource {
    let path = try path(name)
    do throws(Diagnostic) {
      return CatalogSource(file: path, text: try files.text(at: path))
    } catch {
      throw CatalogErrors(diagnostics: [error])
    }
  }

  private func path(_ name: String) throws(CatalogErrors) -> String {
    let isPath = name.contains("/") || name.hasSuffix(".yaml") || name.hasSuffix(".yml")
    let candidates = isPath ? [name] : directories.map { "\($0)/\(name).yaml" }
    if let path = candidates.first(where: files.exists) { return path }
    let searched = isPath ? "" : " (looked in \(directories.joined(separator: ", ")))"
    throw CatalogErrors(diagnostics: [
      Diagnostic(file: name, message: "there is no such catalog\(searched)")
    ])
  }
}
