/// The text for each plural category of a language's numbers; "#" stands for the number.
package struct PluralForms: Hashable, Sendable {
  package let rule: PluralRule
  /// The text of each category.
  package let forms: [PluralCategory: String]
  /// The texts of single numbers, which take precedence over categories.
  package let exact: [UInt64: String]

  package init(
    rule: PluralRule, forms: [PluralCategory: String], exact: [UInt64: String] = [:]
  ) {
    (self.rule, self.forms, self.exact) = (rule, forms, exact)
  }

  /// Returns the text for a number.
  ///
  /// - Parameter text: the number as it is written for "#".
  package func text(of number: PluralOperands, written text: String) -> String {
    let exactForm = number.fractionDigits == 0 ? exact[number.whole] : nil
    // In Slavic languages, fractions have a separate category, whose form is most often that of
    // `few`.
    let form = exactForm ?? forms[rule.category(of: number)] ?? forms[.other] ?? forms[.few] ?? ""
    return form.replacing("#", with: text)
  }

  /// Returns the fault of a language's forms; nil if every number has a form, and the language has
  /// the category of each form.
  ///
  /// - Parameter exact: the numbers that have a separate text.
  package static func fault(
    _ forms: [PluralCategory: String], exact: Set<UInt64> = [], in language: LanguageTag
  ) -> String? {
    guard let rule = PluralRule(language) else {
      return "the plurals of \"\(language)\" are unknown"
    }
    func list(_ categories: [PluralCategory]) -> String {
      categories.map(\.rawValue).joined(separator: ", ")
    }
    let required = rule.requiredCategories(besides: exact)
    let missing = required.filter { forms[$0] == nil }
    if !missing.isEmpty {
      return "\"\(language)\" needs \(list(required)); missing: \(list(missing))"
    }
    let possible = rule.possibleCategories
    let impossible = PluralCategory.allCases.filter { forms[$0] != nil && !possible.contains($0) }
    guard impossible.isEmpty else {
      return "\"\(language)\" has no \(list(impossible)) (known: \(list(possible)))"
    }
    return nil
  }
}
