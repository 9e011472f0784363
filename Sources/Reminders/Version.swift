/// The version of this software, as its programs and its package say it.
package enum Version {
  package static let current = "0.1.0"
}
