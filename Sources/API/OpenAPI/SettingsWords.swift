import Reminders

/// The built-in titles of settings, choices and reasons, in each language of the console.
enum SettingsWords {
  /// Returns a text in a language or in its nearest fallback, otherwise in English; nil if the key
  /// has no text.
  ///
  /// - Parameter key: a path of the preferences, the name of a section, or a name after `choice.`,
  ///   `parameter.` or `reason.`.
  static func text(_ key: String, in language: LanguageTag?) -> String? {
    guard let texts = table[key] else { return nil }
    let index = language?.lookup { languages.firstIndex(of: $0.description) }
    return texts[index ?? 0]
  }

  static let languages = ["en", "de", "ar"]

  /// The texts in the order of `languages`.
  static let table: [String: [String]] = [
    "general": ["General", "Allgemein", "عام"],
    "reminders": ["Reminders", "Erinnerungen", "التذكيرات"],
    "categories": ["Channels by category", "Kanäle je Kategorie", "القنوات حسب الفئة"],
    "channels": ["Channels", "Kanäle", "القنوات"],
    "preset": ["Preset", "Voreinstellung", "إعداد مسبق"],
    "master": ["All notifications", "Alle Benachrichtigungen", "كل الإشعارات"],
    "dayStart": ["Day starts at", "Tagesbeginn", "بداية اليوم"],
    "quietHours": ["Quiet hours", "Ruhezeit", "ساعات الهدوء"],
    "quietHours.enabled": ["Quiet hours", "Ruhezeit", "ساعات الهدوء"],
    "quietHours.start": ["From", "Von", "من"],
    "quietHours.end": ["To", "Bis", "إلى"],
    "quietHours.days": ["Nights starting on", "Nächte, die beginnen am", "الليالي التي تبدأ يوم"],
    "quietHours.windows": ["More quiet hours", "Weitere Ruhezeiten", "ساعات هدوء أخرى"],
    "quietHours.allowCritical": [
      "Allow critical notifications", "Kritisches zulassen", "السماح بالحرج",
    ],
    "vacation": ["Vacation", "Urlaub", "إجازة"],
    "vacation.mode": ["On vacation", "Im Urlaub", "في إجازة"],
    "vacation.until": ["Until", "Bis", "حتى"],
    "vacation.announced": ["Announced", "Angekündigt", "إجازات معلنة"],
    "calendar": ["Days off", "Freie Tage", "أيام الراحة"],
    "calendar.skipWeekends": ["Skip weekends", "Nichts am Wochenende", "استثناء عطلة الأسبوع"],
    "calendar.skipHolidays": ["Skip holidays", "Nichts an Feiertagen", "استثناء العطل الرسمية"],
    "calendar.weekend": ["My weekend", "Mein Wochenende", "عطلتي الأسبوعية"],
    "caps": ["Limits", "Grenzen", "الحدود"],
    "caps.perDay": ["Maximum per day", "Höchstens pro Tag", "الحد الأقصى يوميًا"],
    "caps.minInterval": ["Minimum interval", "Mindestabstand", "الفاصل الأدنى"],
    "bundling": ["Digests", "Sammelbenachrichtigungen", "الملخّصات"],
    "bundling.threshold": [
      "Digest threshold (0: never)", "Sammeln ab (0: nie)", "حدّ التجميع (0: أبدًا)",
    ],
    "email": ["E-mail", "E-Mail", "البريد الإلكتروني"],
    "email.frequency": ["Frequency", "Häufigkeit", "الوتيرة"],
    "email.time": ["Time", "Uhrzeit", "الوقت"],
    "email.day": ["Day", "Tag", "اليوم"],
    "sms": ["SMS", "SMS", "الرسائل النصية"],
    "sms.criticalOnly": ["Critical only", "Nur Kritisches", "الحرج فقط"],
    "hints": ["In-app", "In der App", "داخل التطبيق"],
    "hints.sound": ["Sound", "Ton", "الصوت"],
    "hints.tone": ["Tone", "Klingelton", "النغمة"],
    "hints.vibration": ["Vibration", "Vibration", "الاهتزاز"],
    "hints.badge": ["Badge", "Symbolzähler", "الشارة"],
    "hints.preview": ["Preview", "Vorschau", "المعاينة"],
    "hints.discreet": ["Discreet texts", "Diskrete Texte", "نصوص لا تكشف المحتوى"],
    "hints.badgeCounts": ["Badge counts", "Zähler zeigt", "عدّاد الشارة"],
    "channels.push": ["Push", "Push", "إشعار فوري"],
    "channels.email": ["E-mail", "E-Mail", "بريد إلكتروني"],
    "channels.sms": ["SMS", "SMS", "رسالة نصية"],
    "channels.inapp": ["In-app", "In der App", "داخل التطبيق"],
    "quietHours.active": ["Active now", "Jetzt aktiv", "مفعّلة الآن"],
    "custom": ["Custom preset", "Eigene Voreinstellung", "إعداد مخصص"],
    "choice.mon": ["Mon", "Mo", "الاثنين"],
    "choice.tue": ["Tue", "Di", "الثلاثاء"],
    "choice.wed": ["Wed", "Mi", "الأربعاء"],
    "choice.thu": ["Thu", "Do", "الخميس"],
    "choice.fri": ["Fri", "Fr", "الجمعة"],
    "choice.sat": ["Sat", "Sa", "السبت"],
    "choice.sun": ["Sun", "So", "الأحد"],
    "choice.immediate": ["Immediately", "Sofort", "فورًا"],
    "choice.daily": ["Daily", "Täglich", "يوميًا"],
    "choice.weekly": ["Weekly", "Wöchentlich", "أسبوعيًا"],
    "choice.always": ["Always", "Immer", "دائمًا"],
    "choice.unlocked": ["When unlocked", "Wenn entsperrt", "عند فتح القفل"],
    "choice.never": ["Never", "Nie", "أبدًا"],
    "choice.default": ["Default", "Standard", "افتراضي"],
    "choice.custom": ["Custom", "Benutzerdefiniert", "مخصص"],
    "choice.unread": ["Unread", "Ungelesene", "غير المقروءة"],
    "choice.delivered": ["Delivered", "Zugestellte", "المسلَّمة"],
    "choice.maximum": ["Maximum", "Maximal", "الأقصى"],
    "choice.balanced": ["Balanced", "Ausgewogen", "متوازن"],
    "choice.minimal": ["Minimal", "Minimal", "الأدنى"],
    "choice.critical": ["Critical only", "Nur Kritisches", "الحرج فقط"],
    "parameter.time": ["Time", "Uhrzeit", "الوقت"],
    "parameter.items": ["Each one", "Einzeln", "كل على حدة"],
    "parameter.days": ["Days", "Tage", "الأيام"],
    "reason.locked": ["Always on", "Immer an", "مفعّل دائمًا"],
    "reason.unavailable": [
      "Not offered by this service", "Bietet dieser Dienst nicht an", "غير متاح في هذه الخدمة",
    ],
  ]
}
