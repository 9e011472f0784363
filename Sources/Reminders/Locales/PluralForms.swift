/// What so many of a thing are called, by the categories of a language; "#" stands for the number.
package struct PluralForms: Hashable, Sendable {
  package let rule: PluralRule
  package let forms: [PluralCategory: String]

  package init(rule: PluralRule, forms: [PluralCategory: String]) {
    (self.rule, self.forms) = (rule, forms)
  }

  /// - Parameter text: how the number is written.
  package func text(of number: PluralOperands, written text: String) -> String {
    let form = forms[rule.category(of: number)] ?? forms[.other] ?? ""
    return form.replacing("#", with: text)
  }

  /// What is wrong with the forms of a language; nil if every number has one.
  package static func fault(
    _ forms: [PluralCategory: String], in language: LanguageTag
  ) -> String? {
    guard let rule = PluralRule(language) else {
      return "the plurals of \"\(language)\" are not known"
    }
    func list(_ categories: [PluralCategory]) -> String {
      categories.map(\.rawValue).joined(separator: ", ")
    }
    let missing = rule.needed.filter { forms[$0] == nil }
    if !missing.isEmpty {
      return "\"\(language)\" needs \(list(rule.needed)); missing: \(list(missing))"
    }
    let strange = PluralCategory.allCases.filter { forms[$0] != nil && !rule.known.contains($0) }
    guard strange.isEmpty else {
      return "\"\(language)\" has no \(list(strange)) (known: \(list(rule.known)))"
    }
    return nil
  }
}
