/// The texts for numbers by the plural categories of a language; "#" stands for the number.
package struct PluralForms: Hashable, Sendable {
  package let rule: PluralRule
  package let forms: [PluralCategory: String]
  /// The texts of single numbers, which take precedence over categories.
  package let exact: [UInt64: String]

  package init(
    rule: PluralRule, forms: [PluralCategory: String], exact: [UInt64: String] = [:]
  ) {
    (self.rule, self.forms, self.exact) = (rule, forms, exact)
  }

  /// - Parameter text: the number as text.
  package func text(of number: PluralOperands, written text: String) -> String {
    let own = number.fractionDigits == 0 ? exact[number.whole] : nil
    // In Slavic languages fractions have a separate form, which is most often the form of `few`.
    let form = own ?? forms[rule.category(of: number)] ?? forms[.other] ?? forms[.few] ?? ""
    return form.replacing("#", with: text)
  }

  /// Returns the fault of a language's forms; nil if every number has a form.
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
    let needed = rule.requiredCategories(besides: exact)
    let missing = needed.filter { forms[$0] == nil }
    if !missing.isEmpty {
      return "\"\(language)\" needs \(list(needed)); missing: \(list(missing))"
    }
    let known = rule.possibleCategories
    let strange = PluralCategory.allCases.filter { forms[$0] != nil && !known.contains($0) }
    guard strange.isEmpty else {
      return "\"\(language)\" has no \(list(strange)) (known: \(list(known)))"
    }
    return nil
  }
}
