/// A short list of small numbers in one 64-bit number: the form in which a setting keeps several
/// times of a day.
///
/// The digits of a number to base 1441, of which 0 marks the end: six fit.
package struct NumberList: Hashable, Sendable {
  package static let countMax = 6
  private static let base: Int64 = 1_441

  package let code: Int64

  package init(code: Int64) {
    self.code = code
  }

  /// Nil for more than ``countMax`` numbers, or one outside 0...1439.
  package init?(_ numbers: [Int]) {
    guard numbers.count <= Self.countMax, numbers.allSatisfy((0..<1_440).contains) else {
      return nil
    }
    code = numbers.reversed().reduce(0) { $0 * Self.base + Int64($1) + 1 }
  }

  /// The numbers in their order; of a code that no list gives, what can be made of it.
  package var numbers: [Int] {
    var numbers: [Int] = []
    var rest = code
    while rest > 0 {
      let digit = rest % Self.base
      if digit > 0 { numbers.append(Int(digit) - 1) }
      rest /= Self.base
    }
    return numbers
  }
}
