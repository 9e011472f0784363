/// A number as people write it: with at most six decimal places and without trailing zeros.
package struct LocalNumber: Hashable, Sendable {
  private let isNegative: Bool
  package let operands: PluralOperands

  package init(_ number: Int64) {
    isNegative = number < 0
    operands = PluralOperands(whole: number.magnitude)
  }

  /// - Parameter number: a value between -1e12 and 1e12. Other values are clamped.
  package init(_ number: Double) {
    let scale: UInt64 = 1_000_000
    let bounded = number.isFinite ? min(abs(number), 1e12) : 0
    let scaled = UInt64((bounded * Double(scale)).rounded())
    var (fraction, digits) = (scaled % scale, 6)
    while digits > 0, fraction % 10 == 0 { (fraction, digits) = (fraction / 10, digits - 1) }
    isNegative = number < 0 && scaled > 0
    operands = PluralOperands(whole: scaled / scale, fraction: fraction, fractionDigits: digits)
  }

  /// - Parameter sign: the decimal sign.
  package func text(decimalSign sign: String = ".") -> String {
    let whole = (isNegative ? "-" : "") + "\(operands.whole)"
    guard operands.fractionDigits > 0 else { return whole }
    let fraction = "\(operands.fraction)"
    let zeros = String(repeating: "0", count: operands.fractionDigits - fraction.utf8.count)
    return whole + sign + zeros + fraction
  }
}

extension LanguageTag {
  /// The decimal sign of the language's numbers. Their digits are ASCII, as in dates.
  package var decimalSign: String {
    lookup { Self.regionsWithPoint.contains($0.description) ? "." : nil }
      ?? (Self.languagesWithComma.contains(String(language)) ? "," : ".")
  }

  /// The text that joins the last two elements of a list; nil if a comma joins them.
  package var conjunction: String? { Self.conjunctions[String(language)] }

  /// Regions that use a point although their language uses a comma.
  private static let regionsWithPoint: Set<String> = ["de-ch", "de-li", "es-mx", "es-us", "it-ch"]

  private static let languagesWithComma = Set(
    """
    bg ca cs da de el es et fi fr hr hu id is it lt lv nb nl nn no pl pt ro ru sk sl sv tr uk vi
    """.split(whereSeparator: \.isWhitespace).map(String.init))

  private static let conjunctions: [String: String] = [
    "ar": " و", "ca": " i ", "cs": " a ", "da": " og ", "de": " und ", "en": " and ", "es": " y ",
    "fi": " ja ", "fr": " et ", "hr": " i ", "hu": " és ", "id": " dan ", "it": " e ",
    "nb": " og ", "nl": " en ", "nn": " og ", "no": " og ", "pl": " i ", "pt": " e ",
    "ro": " și ", "ru": " и ", "sk": " a ", "sl": " in ", "sv": " och ", "tr": " ve ",
    "uk": " і ",
  ]
}
