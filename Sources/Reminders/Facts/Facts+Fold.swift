extension Facts {
  /// Takes in one event. Commutative for events with distinct stamps.
  package mutating func fold(_ event: Event, order: Int64, memory: EventSchema.Memory?) {
    let stamp = Stamp(time: event.time, order: order)
    created = min(created ?? stamp, stamp)
    switch event.content {
    case .profile(let changes):
      for change in changes { set(change, at: stamp) }
    case .preferences(let changes):
      for change in changes { set(change, at: stamp) }
    case .happening(let number):
      mark(Symbol(event.type), at: stamp, number: number, memory: memory)
    case .erasure:
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

  private mutating func set(_ change: SettingChange, at stamp: Stamp) {
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

  private mutating func mark(
    _ type: Symbol, at stamp: Stamp, number: Int64?, memory: EventSchema.Memory?
  ) {
    let index = marks.firstIndex { $0.type >= type } ?? marks.endIndex
    if index == marks.endIndex || marks[index].type != type {
      marks.insert(Mark(type: type, at: stamp), at: index)
    }
    marks[index].record(stamp, number: number, memory: memory)
  }
}
