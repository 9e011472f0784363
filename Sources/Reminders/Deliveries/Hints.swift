package import JSON

/// A recipient's deviations from the default display of a notification on a device. Raw values are
/// stored: never renumber them.
package struct Hints: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  package static let noSound = Hints(rawValue: 1)
  package static let customTone = Hints(rawValue: 2)
  package static let noVibration = Hints(rawValue: 4)
  package static let noBadge = Hints(rawValue: 8)
  /// The text is shown only on an unlocked device.
  package static let previewUnlocked = Hints(rawValue: 16)
  /// The text is shown only in the app.
  package static let previewNever = Hints(rawValue: 32)

  /// The channels with hints. E-mail and SMS have none.
  private static let channels: ChannelSet = [ChannelSet(.push), ChannelSet(.inapp)]

  /// Writes the member `hints` with the deviations on a channel; writes nothing if there are none.
  ///
  /// - Parameter isSilent: whether the delivery makes no sound for another reason.
  package func write(for channel: Channel, isSilent: Bool, to writer: inout JSONWriter) {
    guard let display = display(on: channel, isSilent: isSilent) else { return }
    writer.key(constant: "hints")
    display.write(to: &writer)
  }

  /// Returns the deviations on a channel; nil if there are none.
  ///
  /// - Parameter isSilent: whether the delivery makes no sound for another reason.
  package func display(on channel: Channel, isSilent: Bool) -> Display? {
    guard !isEmpty, Self.channels.contains(ChannelSet(channel)) else { return nil }
    var display = Display()
    if contains(.customTone) { display.sound = .custom }
    if contains(.noSound) || isSilent { display.sound = Display.Sound.none }
    if contains(.noVibration) { display.vibration = false }
    if contains(.noBadge) { display.badge = false }
    if channel == .push, contains(.previewUnlocked) { display.preview = .unlocked }
    if channel == .push, contains(.previewNever) { display.preview = .never }
    return display == Display() ? nil : display
  }
}

extension Hints {
  /// The display of a notification on a channel. A property that is nil has its default.
  package struct Display: Hashable, Sendable {
    package enum Sound: String, CaseIterable, Sendable {
      case none, custom
    }
    package enum Preview: String, CaseIterable, Sendable {
      case unlocked, never
    }

    /// The sound; nil for the default sound of the app.
    package var sound: Sound?
    /// False if the device does not vibrate.
    package var vibration: Bool?
    /// False if the app's icon shows no number.
    package var badge: Bool?
    /// When the device shows the text of the notification; nil for always.
    package var preview: Preview?

    fileprivate func write(to writer: inout JSONWriter) {
      writer.beginObject()
      if let sound { writer.member("sound", sound.rawValue) }
      if let vibration { writer.member("vibration", vibration) }
      if let badge { writer.member("badge", badge) }
      if let preview { writer.member("preview", preview.rawValue) }
      writer.endObject()
    }
  }
}

extension Settings {
  /// The deviations that the settings choose.
  package var hints: Hints {
    var hints: Hints = []
    if !isOn(.sound) { hints.insert(.noSound) }
    if isOn(.tone) { hints.insert(.customTone) }
    if !isOn(.vibration) { hints.insert(.noVibration) }
    if !isOn(.badge) { hints.insert(.noBadge) }
    if self[.preview] == 1 { hints.insert(.previewUnlocked) }
    if self[.preview] == 2 { hints.insert(.previewNever) }
    return hints
  }
}

extension Message {
  /// Returns the text for a channel. It is empty for push to a device that shows no previews.
  package func body(on channel: Channel, _ hints: Hints) -> String {
    channel == .push && hints.contains(.previewNever) ? "" : body
  }
}

extension Catalog {
  /// Returns the category of a delivery; nil if the catalog does not declare it.
  func category(of delivery: Delivery) -> Category? {
    categories.first { $0.name == delivery.category }
  }

  /// Returns the urgency of a delivery's reminder, or else of its category. Returns `.normal` if
  /// the catalog has neither.
  package func urgency(of delivery: Delivery) -> Urgency {
    if let urgency = reminder(Symbol(delivery.reminder))?.urgency { return urgency }
    return category(of: delivery)?.urgency ?? .normal
  }
}
