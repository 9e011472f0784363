import Foundation
import Proving
import Reminders
import Testing

/// Rule G19: the shipped catalogs break no rule in the worlds of a bounded search.
@Suite struct ShippedCatalogTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../config/catalogs").standardized

  @Test(arguments: [
    ("imanpath", 200), ("rooms", 150), ("trials", 200), ("urbannest", 50), ("wellness", 200),
  ])
  func `G19: a shipped catalog breaks no rule`(name: String, worlds: Int) throws {
    let file = Self.folder.appending(path: "\(name).yaml")
    let text = try String(contentsOf: file, encoding: .utf8)
    let planner = try PlantedFault.planner([CatalogSource(file: "\(name).yaml", text: text)])
    var prover = Prover(planner: planner)
    let report = try prover.run(worldsMax: worlds)
    #expect(report.counterexamples.isEmpty, "\(report.text(catalogs: [name]))")
  }
}
