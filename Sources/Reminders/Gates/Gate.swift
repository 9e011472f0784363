/// A check that lets an occurrence pass, holds it until an instant, or drops it (rule V1).
///
/// The gates are evaluated in the order of `unconditional`, then of `conditional`. The cases are
/// declared in the order in which reasons are listed. If several gates drop an occurrence, the
/// reason is the first of these gates. Raw values are stored, so never renumber them. A `GateTrace`
/// can store raw values up to 15.
package enum Gate: UInt8, CaseIterable, Sendable {
  /// The gate for occurrences that are too late to be worth delivering (rule T7).
  case expiry = 0
  /// The gate for the master switch.
  case master = 1
  /// The gate for the switches of categories, channels and entities.
  case category = 2
  /// The gate for a missing address, or a denied permission to send to it.
  case address = 3
  case vacation = 4
  /// The gate for rest days, weekends and holidays.
  case calendar = 5
  case quietHours = 6
  /// The gate for the hours in which the operator allows the channels (rule V18).
  case policyHours = 13
  case minimumInterval = 7
  case dailyCap = 8
  /// The gate for the operator's caps on categories (rule V20).
  case policyCap = 14
  /// This gate always passes. It marks an occurrence that is sent as part of a digest.
  case bundling = 9
  /// This gate is never evaluated. It marks three kinds of dropped occurrences:
  ///
  /// - an occurrence that a later one of its series, or a repetition, replaces (rules T7, V6, T14);
  /// - an occurrence before an appointment whose time had passed when the appointment was reported
  ///   (rule T13);
  /// - an occurrence that would have been sent early while the service was down (rule V15).
  case missed = 10
  /// The gate for recipients who read e-mail once a day or once a week.
  case emailFrequency = 11
  /// This gate is never evaluated. It marks a delivery whose subject was cancelled, done or
  /// superseded before the sink accepted the delivery (rule G1). It also marks a held occurrence
  /// that a new catalog no longer plans (rule T10).
  case withdrawn = 12

  /// The gates that are evaluated at every instant. `policyHours` follows if the operator's hours
  /// concern the occurrence.
  package static let unconditional: [Gate] = [
    .expiry, .master, .category, .address, .vacation, .calendar, .quietHours,
  ]
  /// The gates that are evaluated at every instant for collected e-mail.
  static let unconditionalForCollected = unconditional + [.emailFrequency]
  /// The gates that are evaluated only when all others pass (rule V5).
  static let conditional: [Gate] = [.minimumInterval, .dailyCap]
  /// The conditional gates of an occurrence to which caps of the operator apply.
  static let conditionalWithPolicyCaps = conditional + [.policyCap]

  /// The name of the gate as a reason.
  package var reason: String {
    switch self {
    case .expiry: "expired"
    case .master: "master"
    case .category: "category"
    case .address: "address"
    case .vacation: "vacation"
    case .calendar: "calendar"
    case .quietHours: "quiet_hours"
    case .policyHours: "policy_hours"
    case .minimumInterval: "minimum_interval"
    case .dailyCap: "daily_cap"
    case .policyCap: "policy_cap"
    case .bundling: "bundling"
    case .missed: "missed"
    case .emailFrequency: "email_frequency"
    case .withdrawn: "withdrawn"
    }
  }
}
