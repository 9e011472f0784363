// What is said of why something goes out when it does, in German.

/** @type {typeof import("./words-why-en.js").default} */
const words = {
  "looked.expiry": "der Ablauf am {at}",
  "looked.master_on": "der Hauptschalter, der an ist",
  "looked.master_off": "der Hauptschalter, der aus ist",
  "looked.category_on": "Kategorie und Kanal, die an sind",
  "looked.category_off": "Kategorie und Kanal, die aus sind",
  "looked.reachable": "eine erreichbare Adresse",
  "looked.unreachable": "eine fehlende Adresse oder verweigerte Erlaubnis",
  "looked.vacation": "Urlaub bis {until}",
  "looked.no_vacation": "kein Urlaub",
  "looked.rest": "ein Ruhetag",
  "looked.no_rest": "ein Datum ohne Ruhe",
  "looked.quiet_hours": "Ruhezeiten von {start} bis {end}",
  "looked.no_quiet_hours": "keine Ruhezeiten",
  "looked.minimum_interval": "mindestens {interval} Abstand, die letzte am {last}",
  "looked.minimum_interval_unused": "mindestens {interval} Abstand, noch nichts gesagt",
  "looked.minimum_interval_not_kept": "mindestens {interval} Abstand, hier nicht eingehalten",
  "looked.no_minimum_interval": "kein Mindestabstand",
  "looked.daily_cap": "höchstens {cap} am Tag, {said} gesagt am {date}",
  "looked.daily_cap_not_kept": "höchstens {cap} am Tag, hier nicht eingehalten",
  "looked.no_daily_cap": "keine Tagesgrenze",
  "looked.collected_email": "E-Mail, die bis {until} gesammelt wird",
  "looked.email_at_once": "E-Mail sofort",
  "looked.on": "beginnend {days}",
  "exempt.critical": "Dringendes darf durch",
  "exempt.mandatory": "Verpflichtendes darf durch",
  "exempt.category": "diese Kategorie darf durch",
  "exempt.interactive": "die Person ist in der App",
  "why.but": "Ginge am {at} hinaus, gäbe es dies nicht: {what}.",
  "why.butWent": "Wäre am {at} hinausgegangen, gäbe es dies nicht: {what}.",
  "why.and": " und ",
};

export default words;
