// What is said of the service and to those who run it, in Arabic.

/** @type {typeof import("./words-service-en.js").default} */
const words = {
  // The service.
  since: "الإصدار {version}، تعمل منذ {since}. المناطق الزمنية {zones}.",
  catalogs: "الفهارس",
  "tile.due": "مستحق الآن",
  "tile.pending": "مخطط",
  "tile.recipients": "أشخاص",
  "tile.deadLetters": "تعذّر تسليمها",
  "tile.events": "أحداث منذ البدء",
  next: "التالي",
  late: "مدى التأخر",
  "late.empty": "لم يحن دور أحد منذ البدء؛ يمتلئ مع أول تذكير.",
  "late.words": "من {count} تم النصف خلال {half}، و99 من 100 خلال {most}.",
  sinks: "المصارف",
  "column.sink": "المصرف",
  "column.breaker": "القاطع",
  "column.waiting": "ينتظر",
  "column.oldest": "الأقدم",
  "column.retrying": "تُعاد",
  "column.dead": "متعذّر",
  "column.delivered": "مسلَّم",
  "channel.analytics": "أحداث التحليلات",
  "column.carries": "يحمل",
  "column.latency": "يجيب خلال",
  "column.lastFailure": "آخر فشل",
  "breaker.closed": "مغلق",
  "breaker.open": "مفتوح",
  "breaker.half_open": "يجرّب",
  "breaker.paused": "موقوف مؤقتًا",
  "trouble.dead.title": "تعذّر تسليم {count} بأي طريق",
  "column.person": "الشخص",
  "column.since": "منذ",

  // Facts, log, forecast.
  log: "السجل",
  sink: "المصرف",
  access: "الوصول",
  "part.facts": "الوقائع والأجهزة",
  forecast: "المستحق خلال 24 ساعة",
  "forecast.exact": "يُرسل {count} إلى {people} شخص إن لم يُبلَّغ بشيء آخر.",
  "forecast.sample": "يُرسل نحو {count} إلى {people} شخص إن لم يُبلَّغ بشيء آخر: نُظر في {asked} منهم.",
  "forecast.empty": "لا شيء مستحق.",
  "forecast.table": "حسب الفئة",
  "forecast.others": "{count} فئات أخرى",
  pause: "إيقاف مؤقت",
  resume: "استئناف",
  "pause.sure": "إيقاف {sink} مؤقتًا؟ ما هو موجّه إليه ينتظر حتى الاستئناف، وما تنتهي صلاحيته قبل ذلك لا يُرسل.",
  feed: "الجاري الآن",
  "column.type": "النوع",
  "column.lastHour": "الساعة الأخيرة",
  "column.acts": "إجراء",
  spark: "قُبل {delivered} ولم يُقبل {failed}",

  // What is next.
  "next.empty": "لا شيء مخطط. ما تبلّغ به التطبيقات عن الناس يملأ هذا.",
  "next.people": "لعدد {count}",
  in: "بعد {span}",
  fleet: "العُقد",
};

export default words;
