/// Where and how a person is reached, as far as is known: for sinks that need more than a name.
package final class Addressee: Hashable, Sendable {
  /// A name of the tz database.
  package let zone: String
  /// As BCP 47 writes it.
  package let locale: String?
  package let displayName: String?
  package let email: String?
  package let phone: String?
  /// Those that push services know.
  package let devices: [Device]

  package init(
    zone: String, locale: String? = nil, displayName: String? = nil, email: String? = nil,
    phone: String? = nil, devices: [Device] = []
  ) {
    self.zone = zone
    self.locale = locale
    self.displayName = displayName
    self.email = email
    self.phone = phone
    self.devices = devices.filter { $0.token != nil }
  }

  package static func == (one: Addressee, other: Addressee) -> Bool {
    one.zone == other.zone && one.locale == other.locale && one.displayName == other.displayName
      && one.email == other.email && one.phone == other.phone && one.devices == other.devices
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(zone)
    hasher.combine(email)
    hasher.combine(phone)
  }
}
