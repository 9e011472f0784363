package import CivilTime
package import JSON

/// The input of a gate, in words or as a kind with parameters for texts in other languages.
package enum GateFact: Hashable, Sendable {
  /// The reason why an occurrence passes a gate that would otherwise hold or drop it (rules V3,
  /// V4).
  package enum Exemption: String, Sendable {
    case critical, mandatory
    /// The occurrences of the category pass the gate for vacations.
    case category
    /// The recipient is in the app.
    case interactive
  }

  case expiry(Instant)
  case master(isOn: Bool)
  case category(isOn: Bool)
  case address(isReachable: Bool)
  /// Another channel is used instead of push, because no device was seen since an instant.
  case unseen(since: Instant)
  /// The end of the vacation; nil if there is none.
  case vacation(until: Instant?, Exemption?)
  case calendar(isRest: Bool)
  /// The current window of the quiet hours, or else their first; nil if there are none.
  case quietHours(QuietWindow?, Exemption?)
  /// The current closed window of the operator's hours, or else one of them; nil if there is none.
  case policyHours(QuietWindow?)
  /// The minimum interval; nil if there is none. `isCounted` is false if the occurrence is not
  /// subject to it. `last` is the instant of the latest counted notification; nil if there is none.
  case minimumInterval(TimeSpan?, isCounted: Bool, last: Instant?)
  /// The daily cap; nil if there is none. `isCounted` is false if the occurrence is not subject to
  /// it. `sent` is the number of counted notifications on the date.
  case dailyCap(Int?, isCounted: Bool, sent: Int, on: LocalDate)
  /// A limit of the operator's caps that concern the occurrence.
  case policyCap(PolicyLimit)
  /// The instant of the collection; nil if e-mail is sent at once.
  case email(collectedUntil: Instant?)
  /// A gate that has no input, or whose input is not recorded.
  case gate(Gate)
}

extension GateFact {
  /// The key of the sentence that describes the input.
  package var kind: String {
    switch self {
    case .expiry: "expiry"
    case .master(let isOn): isOn ? "master_on" : "master_off"
    case .category(let isOn): isOn ? "category_on" : "category_off"
    case .address(let isReachable): isReachable ? "reachable" : "unreachable"
    case .unseen: "unseen"
    case .vacation(let end, _): end == nil ? "no_vacation" : "vacation"
    case .calendar(let isRest): isRest ? "rest" : "no_rest"
    case .quietHours(let window, _): window == nil ? "no_quiet_hours" : "quiet_hours"
    case .policyHours: "policy_hours"
    case .minimumInterval(nil, _, _): "no_minimum_interval"
    case .minimumInterval(_, false, _): "minimum_interval_not_kept"
    case .minimumInterval(_, true, let last):
      last == nil ? "minimum_interval_unused" : "minimum_interval"
    case .dailyCap(nil, _, _, _): "no_daily_cap"
    case .dailyCap(_, let isCounted, _, _): isCounted ? "daily_cap" : "daily_cap_not_kept"
    case .policyCap(let limit): limit.kind
    case .email(let end): end == nil ? "email_at_once" : "collected_email"
    case .gate: "gate"
    }
  }

  /// Returns the parameters of the sentence that `kind` names. Each instant is also given as local
  /// time in the recipient's zone.
  package func parameters(in zone: Zone) -> JSONObject {
    switch self {
    case .expiry(let instant): return Self.instantParameters("at", instant, zone)
    case .unseen(let instant): return Self.instantParameters("since", instant, zone)
    case .vacation(let end?, let exemption):
      return Self.instantParameters("until", end, zone).with(exemption)
    case .quietHours(let window?, let exemption):
      return window.parameters(in: zone).with(exemption)
    case .policyHours(let window?): return window.parameters(in: zone)
    case .minimumInterval(let span?, let isCounted, let last):
      return Self.intervalParameters(span, last: isCounted ? last : nil, zone)
    case .dailyCap(let cap?, let isCounted, let sent, let date):
      guard isCounted else { return ["cap": .integer(Int64(cap))] }
      return [
        "cap": .integer(Int64(cap)), "sent": .integer(Int64(sent)), "date": .string("\(date)"),
      ]
    case .policyCap(let limit): return limit.parameters(in: zone)
    case .email(let end?): return Self.instantParameters("until", end, zone)
    case .gate(let gate): return ["gate": .string(gate.reason)]
    default: return [:]
    }
  }

  static func intervalParameters(
    _ span: TimeSpan, last: Instant?, _ zone: Zone
  ) -> JSONObject {
    var parameters: JSONObject = [
      "interval": .string("\(span)"), "seconds": .integer(span.milliseconds / 1_000),
    ]
    if let last {
      for member in instantParameters("last", last, zone) { parameters[member.key] = member.value }
    }
    return parameters
  }

  private static func instantParameters(
    _ name: String, _ instant: Instant, _ zone: Zone
  ) -> JSONObject {
    var parameters: JSONObject = [name: .string("\(instant)")]
    parameters[name + "Local"] = .string("\(zone.local(at: instant))")
    return parameters
  }
}

extension JSONObject {
  fileprivate func with(_ exemption: GateFact.Exemption?) -> JSONObject {
    var parameters = self
    if let exemption { parameters["exemption"] = .string(exemption.rawValue) }
    return parameters
  }
}

extension QuietWindow {
  /// The days on which a window starts.
  fileprivate var weekdays: [Weekday] { Weekday.allCases.filter { days & $0.bit != 0 } }

  /// Returns the parameters of the sentence. The days are included unless a window starts on all
  /// seven.
  fileprivate func parameters(in zone: Zone) -> JSONObject {
    var parameters: JSONObject = [
      "start": .string("\(start)"), "end": .string(endText), "zone": .string(zone.name),
    ]
    if weekdays.count < Weekday.allCases.count {
      parameters["days"] = .array(weekdays.map { .string($0.name) })
    }
    return parameters
  }

  fileprivate func words(_ subject: String, in zone: Zone) -> String {
    let names = weekdays.isEmpty ? "no day" : weekdays.map(\.name).joined(separator: ", ")
    return "\(subject) \(start)-\(endText) \(zone.name)"
      + (weekdays.count == Weekday.allCases.count ? "" : " on \(names)")
  }
}

extension GateFact {
  /// Returns the input in words that fit after "if not for".
  func words(in zone: Zone) -> String {
    switch self {
    case .expiry(let instant): "its expiry at \(zone.written(instant))"
    case .master(let isOn): "the master switch, which is \(isOn ? "on" : "off")"
    case .category(let isOn):
      "the switches of category and channel, which are \(isOn ? "on" : "off")"
    case .address(let isReachable):
      isReachable
        ? "a reachable address" : "a missing or suppressed address, or a denied permission"
    case .unseen(let instant):
      "a reachable address other than push: no device was seen since \(zone.written(instant))"
    case .vacation(nil, _): "no vacation"
    case .vacation(let end?, let exemption):
      "a vacation until \(zone.written(end))" + (exemption?.words ?? "")
    case .calendar(let isRest): isRest ? "a day of rest" : "a date without rest"
    case .quietHours(nil, _): "no quiet hours"
    case .quietHours(let window?, let exemption):
      window.words("quiet hours", in: zone) + (exemption?.words ?? "")
    case .policyHours(let window):
      window?.words("the operator's closed hours", in: zone) ?? Gate.policyHours.words
    case .minimumInterval(let span, let isCounted, let last):
      Self.interval(span, isCounted, last.map(zone.written))
    case .dailyCap(let cap, let isCounted, let sent, let date):
      Self.cap(cap, isCounted, sent, date)
    case .policyCap(let limit): limit.words(in: zone)
    case .email(nil): "e-mail at once"
    case .email(let end?): "collected e-mail until \(zone.written(end))"
    case .gate(let gate): gate.words
    }
  }

  private static func interval(_ span: TimeSpan?, _ isCounted: Bool, _ last: String?) -> String {
    guard let span else { return "no minimum interval" }
    guard isCounted else { return "a minimum interval of \(span), which does not apply" }
    return "a minimum interval of \(span), "
      + (last.map { "the last at \($0)" } ?? "none sent yet")
  }

  private static func cap(
    _ cap: Int?, _ isCounted: Bool, _ sent: Int, _ date: LocalDate
  ) -> String {
    guard let cap else { return "no daily cap" }
    return "a daily cap of \(cap), "
      + (isCounted ? "\(sent) sent on \(date)" : "which does not apply")
  }
}

extension GateFact.Exemption {
  fileprivate var words: String {
    switch self {
    case .critical, .mandatory: ", which \(rawValue) notifications pass"
    case .category: ", which its category passes"
    case .interactive: " (the person is in the app)"
    }
  }
}

extension GateInput {
  /// Returns the input of a gate.
  func fact(for gate: Gate, at instant: Instant) -> GateFact {
    switch gate {
    case .expiry: .expiry(expiry)
    case .master: .master(isOn: isMasterOn)
    case .category: .category(isOn: isCategoryOn)
    case .address: address(at: instant)
    case .vacation:
      .vacation(until: vacation(at: instant)?.end, vacationAction == .pass ? .category : exemption)
    case .calendar: .calendar(isRest: rest != .none)
    case .quietHours: .quietHours(quietHours.window(at: instant, in: zone), quietExemption)
    case .policyHours: .policyHours(policyWindow(at: instant))
    case .minimumInterval:
      .minimumInterval(minimumInterval, isCounted: isCounted, last: countedDeliveries.last)
    case .dailyCap: cap(at: instant)
    case .policyCap: policyLimit(at: instant).map { GateFact.policyCap($0) } ?? .gate(gate)
    case .emailFrequency: .email(collectedUntil: collection)
    case .bundling, .missed, .withdrawn: .gate(gate)
    }
  }

  private func policyWindow(at instant: Instant) -> QuietWindow? {
    let hours = policyHours(at: instant).first
    return hours?.window(at: instant, in: zone) ?? hours?.others.first
  }

  private func address(at instant: Instant) -> GateFact {
    guard isReachable, let pushAbsence, instant >= pushAbsence.start else {
      return .address(isReachable: isReachable)
    }
    return .unseen(since: pushAbsence.lastSeen)
  }

  private func cap(at instant: Instant) -> GateFact {
    let date = zone.date(at: instant)
    let sent = countedDeliveries.count { zone.date(at: $0) == date }
    return .dailyCap(capPerDay, isCounted: isCounted, sent: sent, on: date)
  }

  private var exemption: GateFact.Exemption? {
    switch urgency {
    case .critical: .critical
    case .mandatory: .mandatory
    case .low, .normal, .high: nil
    }
  }

  private var quietExemption: GateFact.Exemption? {
    if isInteractive { return .interactive }
    return urgency == .critical && !quietHours.allowsCritical ? nil : exemption
  }
}
