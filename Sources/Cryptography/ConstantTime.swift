/// Comparisons whose duration reveals nothing about the compared bytes.
package enum ConstantTime {
  /// Returns whether two sequences of bytes are equal. The duration depends only on their lengths.
  package static func areEqual(
    _ left: some Collection<UInt8>, _ right: some Collection<UInt8>
  ) -> Bool {
    left.count == right.count && zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
