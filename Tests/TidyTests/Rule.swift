import Testing

/// A rule that is applied to the whole project.
struct Rule: Sendable, CustomTestStringConvertible {
  let name: String
  let violations: @Sendable (ProjectTree) -> [Violation]

  var testDescription: String { name }

  static let all = [
    each("no banned calls", BannedCall.violations),
    each("no banned phrases", BannedPhrase.violations),
    each("no unfinished marks", WordRules.unfinishedMarks),
    each("no names from outside the project", WordRules.outsideNames),
    each("lines fit", SizeRules.longLines),
    each("files fit", SizeRules.longFiles),
    each("functions fit", SizeRules.longFunctions),
    each("large types have files of their names", TypeFileRules.largeTypes),
    each("functions named like tests are tests", TestFunctionRules.testsThatNeverRun),
    each("expectations are in tests", TestFunctionRules.expectationsOutsideTests),
    each("tests prove something", TestFunctionRules.testsThatProveNothing),
    each("imports between targets", ArrowRules.imports),
    each("pure targets do not import Foundation", ArrowRules.foundationInPureTargets),
    each("one title", MarkdownRules.oneTitle),
    each("rules of the contract in order", ContractRules.order),
    each("rules of the contract are short", ContractRules.lengths),
    each("the glossary is short", GuideRules.glossarySize),
    Rule(name: "directories are targets", violations: ArrowRules.directoriesAreTargets),
    Rule(name: "links have targets", violations: MarkdownRules.brokenLinks),
    Rule(name: "cited rules exist", violations: ContractRules.citations),
    Rule(name: "the guide's names exist", violations: GuideRules.names),
    Rule(name: "top level", violations: LayoutRules.topLevel),
    Rule(name: "configuration", violations: LayoutRules.configuration),
  ]

  private static func each(
    _ name: String, _ check: @escaping @Sendable (ProjectFile) -> [Violation]
  ) -> Rule {
    Rule(name: name) { $0.files.flatMap(check) }
  }
}
