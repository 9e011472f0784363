/// Comparisons whose duration reveals nothing about the compared bytes.
package enum ConstantTime {
  /// Whether two sequences of bytes are equal; the duration depends on their lengths alone.
  package static func areEqual(
    _ left: some Collection<UInt8>, _ right: some Collection<UInt8>
  ) -> Bool {
    left.count == right.count && zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
