/// Different texts with equal 64-bit FNV-1a hashes.
enum Twins {
  static let pairs = [
    ("8yn0iYCKYHlIj4-BwPqk", "GReLUrM4wMqfg9yzV3KQ"),
    ("gMPflVXtwGDXbIhP73TX", "LtHf1prlU1bCeYZEdqWf"),
  ]

  static let (one, other) = pairs[0]
}
