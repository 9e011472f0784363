// What is said of the service and to those who run it, in German.

/** @type {typeof import("./words-service-en.js").default} */
const words = {
  // The service.
  since: "Version {version}, läuft seit {since}. Zeitzonen {zones}.",
  catalogs: "Kataloge",
  "tile.due": "jetzt fällig",
  "tile.pending": "geplant",
  "tile.recipients": "Personen",
  "tile.deadLetters": "unzustellbar",
  "tile.events": "Ereignisse seit dem Start",
  next: "Als Nächstes",
  late: "Wie spät Personen an der Reihe waren",
  "late.empty": "Seit dem Start war niemand an der Reihe; die erste Erinnerung füllt es.",
  "late.words": "Von {count} war die Hälfte binnen {half} fertig, 99 von 100 binnen {most}.",
  sinks: "Senken",
  "column.sink": "Senke",
  "column.breaker": "Schalter",
  "column.waiting": "Wartend",
  "column.oldest": "Älteste",
  "column.retrying": "Wiederholt",
  "column.dead": "Unzustellbar",
  "column.delivered": "Zugestellt",
  "channel.analytics": "Nutzungsereignisse",
  "column.carries": "Trägt",
  "column.latency": "Antwortet in",
  "column.lastFailure": "Letzter Fehler",
  "breaker.closed": "geschlossen",
  "breaker.open": "offen",
  "breaker.half_open": "probiert",
  "breaker.paused": "angehalten",
  "trouble.dead.title": "{count} waren auf keinem Weg zuzustellen",
  "column.person": "Person",
  "column.since": "Seit",

  // Facts, log, forecast.
  log: "Protokoll",
  sink: "Senke",
  access: "Zugang",
  "part.facts": "Fakten und Geräte",
  forecast: "Fällig in den nächsten 24 Stunden",
  "forecast.exact": "{count} gehen an {people} Personen hinaus, wenn nichts weiter gemeldet wird.",
  "forecast.sample": "Etwa {count} gehen an {people} Personen hinaus, wenn nichts weiter gemeldet wird: {asked} davon wurden angesehen.",
  "forecast.empty": "Nichts ist fällig.",
  "forecast.table": "Nach Kategorie",
  "forecast.others": "{count} weitere Kategorien",
  pause: "Anhalten",
  resume: "Fortsetzen",
  "pause.sure": "{sink} anhalten? Was dafür bestimmt ist, wartet bis zum Fortsetzen; was inzwischen abläuft, wird nicht gesendet.",
  feed: "Aktuelles",
  "column.type": "Typ",
  "column.lastHour": "Letzte Stunde",
  "column.acts": "Tun",
  spark: "{delivered} angenommen, {failed} nicht",

  // What is next.
  "next.empty": "Nichts ist geplant. Was Apps von Menschen melden, bringt etwas.",
  "next.people": "für {count}",
  in: "in {span}",
  fleet: "Knoten",
};

export default words;
