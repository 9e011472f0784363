/// A notification that an operator requests as a test (rule D5), or that tests a sink.
package enum TestNotification {
  /// The name of the reminder and of the category of test notifications.
  package static let identifier = "test"
}
