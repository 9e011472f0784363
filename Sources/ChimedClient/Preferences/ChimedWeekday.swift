/// A day of the week.
public enum ChimedWeekday: String, CaseIterable, ChimedSettingValue {
  case monday = "mon"
  case tuesday = "tue"
  case wednesday = "wed"
  case thursday = "thu"
  case friday = "fri"
  case saturday = "sat"
  case sunday = "sun"
}
