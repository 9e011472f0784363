import Reminders

extension Delivery {
  /// Whether it is content to be seen when the device is next used.
  var isUnobtrusive: Bool { isSilent || urgency == .low }

  var isNoisy: Bool { !isSilent && !hints.contains(.noSound) }
}
