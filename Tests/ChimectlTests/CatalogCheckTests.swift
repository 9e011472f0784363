import ArgumentParser
import Testing

@testable import chimectl

@Suite struct CatalogCheckTests {
  @Test(arguments: [
    ["--seed", "5"], ["--worlds", "3"], ["--seconds", "5"], ["--rules", "rules.yaml"],
  ])
  func `an option of a proof is refused without --prove`(options: [String]) throws {
    let error = #expect(throws: (any Error).self) {
      try CatalogCommand.CheckCommand.parse(["a.yaml"] + options)
    }
    #expect(
      error.map { CatalogCommand.CheckCommand.message(for: $0) }?.contains(
        "--rules, --seconds, --worlds and --seed need --prove; add it.") == true)
    let check = try CatalogCommand.CheckCommand.parse(["a.yaml", "--prove"] + options)
    #expect(check.prove)
  }
}
