/// The plural categories of the Unicode CLDR.
package enum PluralCategory: String, CaseIterable, Sendable {
  case zero, one, two, few, many, other
}

/// A number as a text shows it, for plural rules (Unicode LDML, part 3, "Operands").
package struct PluralOperands: Hashable, Sendable {
  /// The digits before the decimal point.
  package let whole: UInt64
  /// The digits after the decimal point without trailing zeros; `fractionDigits` is their number.
  package let fraction: UInt64
  package let fractionDigits: Int

  package init(whole: UInt64, fraction: UInt64 = 0, fractionDigits: Int = 0) {
    (self.whole, self.fraction, self.fractionDigits) = (whole, fraction, fractionDigits)
  }

  fileprivate var isWhole: Bool { fractionDigits == 0 }

  fileprivate func ends(in digits: ClosedRange<UInt64>, of modulus: UInt64 = 10) -> Bool {
    digits.contains(whole % modulus)
  }

  fileprivate func isExactly(_ numbers: ClosedRange<UInt64>) -> Bool {
    isWhole && numbers.contains(whole)
  }
}

/// The plural rules of the languages in `LocalWords`, from the CLDR's cardinal rules. There is one
/// difference: whole millions in Romance languages are `other` and not `many`. Languages with equal
/// rules share a case.
package enum PluralRule: Sendable {
  /// All numbers are `other`.
  case otherOnly
  /// `one` is for 1 without a decimal point.
  case exactlyOne
  /// `one` is for 1, also as 1.0. As `PluralOperands` have no trailing zeros, `exactlyOne` has the
  /// same effect.
  case one
  /// `one` is for 1, and for any fraction below 2.
  case danish
  /// `one` is for any number below 2.
  case belowTwo
  /// `one` is for any number up to 1.
  case upToOne
  /// Since CLDR 48 the rule is `upToOne`. In earlier versions all numbers were `other`, and texts
  /// may still have only that form.
  case vietnamese
  case filipino, icelandic, latvian, lithuanian, polish, czech, eastSlavic, southSlavic
  case slovenian, romanian, hebrew, arabic

  /// Returns the rule of a language; nil if it is unknown.
  package init?(_ language: LanguageTag) {
    guard let rule = language.lookup({ Self.byLanguage[$0.description] }) else { return nil }
    self = rule
  }

  private static let byLanguage: [String: PluralRule] = {
    var rules: [String: PluralRule] = [:]
    let groups: [(String, PluralRule)] = [
      ("id ja ko ms th zh", .otherOnly),
      ("ca de en et fi it nl pt-pt sv sw ur", .exactlyOne),
      ("bg el es hu nb nn no tr", .one), ("da", .danish), ("fr pt", .belowTwo), ("bn hi", .upToOne),
      ("vi", .vietnamese),
      ("fil", .filipino), ("is", .icelandic), ("lv", .latvian), ("lt", .lithuanian),
      ("pl", .polish), ("cs sk", .czech), ("ru uk", .eastSlavic), ("hr", .southSlavic),
      ("sl", .slovenian), ("ro", .romanian), ("he", .hebrew), ("ar", .arabic),
    ]
    for (languages, rule) in groups {
      for language in languages.split(separator: " ") { rules[String(language)] = rule }
    }
    return rules
  }()

  /// The categories for which a text needs forms, so that each whole number below a million has a
  /// form.
  package var requiredCategories: [PluralCategory] { requiredCategories(besides: []) }

  /// Returns the categories for which a text needs forms.
  ///
  /// - Parameter exact: the numbers for which the text has separate forms.
  package func requiredCategories(besides exact: Set<UInt64>) -> [PluralCategory] {
    if self == .vietnamese { return [.other] }
    let numbers = (UInt64(0)...200).filter { !exact.contains($0) }
    let found = Set(numbers.map { category(of: PluralOperands(whole: $0)) })
    return PluralCategory.allCases.filter(found.contains)
  }

  /// The categories of all numbers, including fractions.
  package var possibleCategories: [PluralCategory] {
    var found: Set<PluralCategory> = []
    for whole in UInt64(0)...120 {
      for (fraction, digits) in [(UInt64(5), 1), (11, 2), (21, 2)] {
        let number = PluralOperands(whole: whole, fraction: fraction, fractionDigits: digits)
        found.insert(category(of: number))
      }
    }
    return PluralCategory.allCases.filter {
      $0 == .other || requiredCategories.contains($0) || found.contains($0)
    }
  }

  package func category(of number: PluralOperands) -> PluralCategory {
    switch self {
    case .otherOnly: .other
    case .exactlyOne, .one: number.isExactly(1...1) ? .one : .other
    case .danish: isDanishOne(number) ? .one : .other
    case .belowTwo: number.whole < 2 ? .one : .other
    case .upToOne, .vietnamese: number.whole == 0 || number.isExactly(1...1) ? .one : .other
    case .filipino: isFilipinoOne(number) ? .one : .other
    case .icelandic: isIcelandicOne(number) ? .one : .other
    case .hebrew: hebrew(number)
    case .latvian: latvian(number)
    case .lithuanian: lithuanian(number)
    case .arabic: arabic(number)
    case .polish, .czech, .eastSlavic, .southSlavic, .slovenian, .romanian: slavicOrRomanian(number)
    }
  }
}

extension PluralRule {
  private func isDanishOne(_ number: PluralOperands) -> Bool {
    number.isExactly(1...1) || !number.isWhole && number.whole < 2
  }

  private func isFilipinoOne(_ number: PluralOperands) -> Bool {
    guard number.isWhole else { return ![4, 6, 9].contains(number.fraction % 10) }
    return ![4, 6, 9].contains(number.whole % 10)
  }

  private func isIcelandicOne(_ number: PluralOperands) -> Bool {
    guard number.isWhole else {
      return number.fraction % 10 == 1 && number.fraction % 100 != 11
    }
    return number.ends(in: 1...1) && !number.ends(in: 11...11, of: 100)
  }

  private func hebrew(_ number: PluralOperands) -> PluralCategory {
    if number.isExactly(1...1) || !number.isWhole && number.whole == 0 { return .one }
    return number.isExactly(2...2) ? .two : .other
  }

  private func latvian(_ number: PluralOperands) -> PluralCategory {
    guard number.isWhole else {
      let isTeen = number.fractionDigits == 2 && (11...19).contains(number.fraction)
      return isTeen ? .zero : number.fraction % 10 == 1 ? .one : .other
    }
    if number.ends(in: 0...0) || number.ends(in: 11...19, of: 100) { return .zero }
    return number.ends(in: 1...1) ? .one : .other
  }

  private func lithuanian(_ number: PluralOperands) -> PluralCategory {
    guard number.isWhole else { return .many }
    if number.ends(in: 0...0) || number.ends(in: 11...19, of: 100) { return .other }
    return number.ends(in: 1...1) ? .one : .few
  }

  private func arabic(_ number: PluralOperands) -> PluralCategory {
    guard number.isWhole else { return .other }
    switch number.whole {
    case 0: return .zero
    case 1: return .one
    case 2: return .two
    default:
      if number.ends(in: 3...10, of: 100) { return .few }
      return number.ends(in: 11...99, of: 100) ? .many : .other
    }
  }

  /// Returns the category by a rule that depends on the last digits.
  private func slavicOrRomanian(_ number: PluralOperands) -> PluralCategory {
    let isFew = number.ends(in: 2...4) && !number.ends(in: 12...14, of: 100)
    let isOne = number.ends(in: 1...1) && !number.ends(in: 11...11, of: 100)
    switch self {
    case .polish:
      guard number.isWhole else { return .other }
      return number.whole == 1 ? .one : isFew ? .few : .many
    case .czech:
      guard number.isWhole else { return .many }
      return number.whole == 1 ? .one : (2...4).contains(number.whole) ? .few : .other
    case .eastSlavic:
      guard number.isWhole else { return .other }
      return isOne ? .one : isFew ? .few : .many
    case .southSlavic:
      guard number.isWhole else {
        return Self.southSlavic.slavicOrRomanian(PluralOperands(whole: number.fraction))
      }
      return isOne ? .one : isFew ? .few : .other
    case .slovenian:
      guard number.isWhole else { return .few }
      switch number.whole % 100 {
      case 1: return .one
      case 2: return .two
      case 3, 4: return .few
      default: return .other
      }
    default:
      if number.isExactly(1...1) { return .one }
      return !number.isWhole || number.whole == 0 || number.ends(in: 1...19, of: 100)
        ? .few : .other
    }
  }
}
