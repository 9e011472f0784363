import Foundation
import Reminders

/// Finds catalog files by name or path.
struct CatalogFiles {
  /// The directories to search for catalogs by name, in order.
  let directories: [String]

  private let files: SettingsFiles

  /// Searches the directories in `$CHIMED_CATALOGS`, then those of the operator and the package.
  static func standard(_ files: SettingsFiles) -> CatalogFiles {
    let variable = ProcessInfo.processInfo.environment["CHIMED_CATALOGS"]
    let directories = variable.map { $0.split(separator: ":").map(String.init) } ?? []
    return CatalogFiles(
      directories: directories + ["/etc/chimed/catalogs", "/usr/share/chimed/catalogs"],
      files: files)
  }

  /// Reads the catalogs with these names or paths.
  ///
  /// - Parameter policies: the policies of the configuration; nil if it has none.
  /// - Throws: all faults of the files, and missing files.
  func catalog(
    _ names: [String], _ policies: PolicySource? = nil
  ) throws(CatalogErrors) -> Catalog {
    var sources: [CatalogSource] = []
    var faults: [Diagnostic] = []
    for name in names {
      do throws(CatalogErrors) {
        sources.append(try source(name))
      } catch {
        faults += error.diagnostics
      }
    }
    func read() throws(CatalogErrors) -> Catalog {
      try Catalog(reading: sources, policies: policies)
    }
    guard !faults.isEmpty else { return try read() }
    // Report the faults of the other files too, because no second check follows. Some of these
    // faults may be consequences of the missing files.
    let catalog =
      sources.isEmpty && policies == nil ? nil : Result { () throws(CatalogErrors) in try read() }
    if case .failure(let errors)? = catalog { faults += errors.diagnostics }
    throw CatalogErrors(diagnostics: faults)
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
