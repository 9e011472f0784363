extension Facts {
  /// Folds one event: applies it to the facts. For events with distinct stamps, every order of
  /// folding gives the same facts.
  ///
  /// - Parameters:
  ///   - order: the event's order of arrival.
  ///   - memory: the numbers of the event's type that its mark remembers; nil for none.
  ///   - withdrawn: the order of arrival of the request that the event cancels, if the caller knows
  ///     it. A finished request is no longer among the facts.
  ///   - series: the series that the event ends or resumes; nil for the series of the reminder that
  ///     the event names.
  package mutating func fold(
    _ event: Event, order: Int64, memory: EventSchema.Memory?, withdrawn: Int64? = nil,
    series: SeriesExtent? = nil
  ) {
    let stamp = Stamp(time: event.time, order: order)
    created = min(created ?? stamp, stamp)
    defer { if let trace = event.trace { note(trace, at: order) } }
    switch event.content {
    case .profile(let changes):
      for change in changes { set(change, at: stamp) }
    case .preferences(let changes):
      for change in changes { set(change, at: stamp) }
    case .happening(let number, let isInteractive):
      recordMark(
        event.symbol, at: stamp, number: number, memory: memory, isInteractive: isInteractive)
    case .report(let report):
      recordMark(event.symbol, at: stamp, number: report.number, memory: report.memory)
      note(report, of: event.symbol, at: stamp)
      for match in report.matches {
        note(report.remembered(for: match), of: match.type, at: stamp)
      }
      if let type = report.peakType, mark(event.symbol)?.peak?.stamp == stamp {
        recordPeak(report, of: type, at: stamp)
      }
    case .device(let change): set(change, at: stamp)
    case .request(let content):
      note(RequestedNotification(identity: event.identity, stamp: stamp, content: content))
    case .requestCancellation(let identity): withdraw(identity, key: withdrawn, at: stamp)
    case .cancellation(let reminder, _, isSeries: true):
      end(series ?? SeriesExtent(reminder: reminder), at: stamp)
    case .resumption(let reminder, _, isSeries: true):
      resume(series ?? SeriesExtent(reminder: reminder), at: stamp)
    case .opening:
      recordMark(event.symbol, at: stamp, number: nil, memory: nil)
      opens.record(event.time)
    case .deliveryReport(let report):
      if event.symbol == Self.received {
        recordMark(event.symbol, at: stamp, number: nil, memory: nil)
      }
      guard let change = report.suppression else { break }
      set(change, at: Stamp(time: report.sent ?? event.time, order: order))
    case .relation(let change): note(change, at: stamp)
    case .cancellation, .resumption, .snooze, .erasure:
      break
    }
  }

  private mutating func set(_ change: ProfileChange, at stamp: Stamp) {
    let register = ProfileRegister(field: change.field, value: change.value, stamp: stamp)
    let field = change.field.rawValue
    guard let index = profile.firstIndex(where: { $0.field.rawValue >= field }) else {
      return profile.append(register)
    }
    if profile[index].field != change.field {
      profile.insert(register, at: index)
    } else if profile[index].stamp < stamp {
      profile[index] = register
    }
  }

  mutating func set(_ change: SettingChange, at stamp: Stamp) {
    if let dates = change.announcement {
      return note(AnnouncedVacation(from: dates.from, until: dates.until, stamp: stamp))
    }
    if let entity = change.entity {
      let value = change.value == SettingKind.unset ? nil : change.value
      return note(
        EntitySetting(path: change.path, identifier: entity, value: value, stamp: stamp))
    }
    let register = SettingRegister(path: change.path, value: change.value, stamp: stamp)
    guard let index = settings.firstIndex(where: { $0.path >= change.path }) else {
      return settings.append(register)
    }
    if settings[index].path != change.path {
      settings.insert(register, at: index)
    } else if settings[index].stamp < stamp {
      settings[index] = register
    }
  }

  /// The maximum number of devices that are remembered, including removed ones (rule H12). Beyond
  /// this number, the device with the oldest stamp is forgotten.
  package static let devicesMax = 100

  private mutating func set(_ change: DeviceChange, at stamp: Stamp) {
    let device = Device(
      identifier: change.identifier, platform: change.platform, token: change.token, stamp: stamp)
    let index = devices.firstIndex { $0.identifier >= change.identifier } ?? devices.endIndex
    guard index < devices.endIndex, devices[index].identifier == change.identifier else {
      devices.insert(device, at: index)
      return forgetDevice()
    }
    if devices[index].stamp < stamp { devices[index] = device }
  }

  /// Forgets the device with the oldest stamp if there are too many. Every order of arrival leaves
  /// the same devices, because these always have the latest stamps.
  private mutating func forgetDevice() {
    guard devices.count > Self.devicesMax else { return }
    let oldest = devices.indices.min { devices[$0].stamp < devices[$1].stamp }
    if let oldest { devices.remove(at: oldest) }
  }

  /// Records that the recipient has ended the series of a reminder.
  mutating func stop(_ reminder: Symbol, at stamp: Stamp) {
    let index = stops.firstIndex { $0.reminder >= reminder } ?? stops.endIndex
    guard index < stops.endIndex, stops[index].reminder == reminder else {
      return stops.insert(Stop(reminder: reminder, stamp: stamp), at: index)
    }
    stops[index].stamp = max(stops[index].stamp, stamp)
  }

  private mutating func recordMark(
    _ type: Symbol, at stamp: Stamp, number: Int64?, memory: EventSchema.Memory?,
    isInteractive: Bool = false
  ) {
    let index = marks.firstIndex { $0.type >= type } ?? marks.endIndex
    if index == marks.endIndex || marks[index].type != type {
      marks.insert(Mark(type: type, at: stamp), at: index)
    }
    marks[index].record(stamp, number: number, memory: memory, isInteractive: isInteractive)
  }
}
