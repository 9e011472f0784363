/// The version of chimed, shown by its programs and its package.
package enum Version {
  package static let current = "0.1.0"
}
