/// A test notification, which an operator requests (rule D5), or a test of a sink.
package enum TestNotification {
  /// The name of its reminder and of its category.
  package static let identifier = "test"
}
