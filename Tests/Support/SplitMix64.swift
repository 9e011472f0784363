/// A random number generator whose sequence follows from its seed (Steele, Lea and Flood 2014).
package struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) {
    state = seed
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  package mutating func int(in range: Range<Int>) -> Int {
    Int.random(in: range, using: &self)
  }

  /// Returns a random element. The array must not be empty.
  package mutating func pick<Choice>(_ choices: [Choice]) -> Choice {
    choices[int(in: 0..<choices.count)]
  }

  /// Returns true once in `count` times on average.
  package mutating func isOne(of count: Int) -> Bool { int(in: 0..<count) == 0 }
}
