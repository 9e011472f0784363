// What is said of why something goes out when it does, in Arabic.

/** @type {typeof import("./words-why-en.js").default} */
const words = {
  "looked.expiry": "انتهاء صلاحيته {at}",
  "looked.master_on": "المفتاح الرئيسي، وهو مفعّل",
  "looked.master_off": "المفتاح الرئيسي، وهو معطّل",
  "looked.category_on": "الفئة والقناة، وهما مفعّلتان",
  "looked.category_off": "الفئة والقناة، وإحداهما معطّلة",
  "looked.reachable": "عنوان يمكن الوصول إليه",
  "looked.unreachable": "عنوان ناقص أو إذن مرفوض",
  "looked.vacation": "إجازة حتى {until}",
  "looked.no_vacation": "لا إجازة",
  "looked.rest": "يوم راحة",
  "looked.no_rest": "يوم بلا راحة",
  "looked.quiet_hours": "ساعات الهدوء من {start} إلى {end}",
  "looked.no_quiet_hours": "لا ساعات هدوء",
  "looked.minimum_interval": "فاصل لا يقل عن {interval}، والأخير {last}",
  "looked.minimum_interval_unused": "فاصل لا يقل عن {interval}، ولم يُرسل شيء بعد",
  "looked.minimum_interval_not_kept": "فاصل لا يقل عن {interval}، ولا يلتزم به هذا",
  "looked.no_minimum_interval": "لا فاصل أدنى",
  "looked.daily_cap": "{cap} يوميًا على الأكثر، وأُرسل {said} في {date}",
  "looked.daily_cap_not_kept": "{cap} يوميًا على الأكثر، ولا يلتزم به هذا",
  "looked.no_daily_cap": "لا حد يومي",
  "looked.collected_email": "بريد يُجمع حتى {until}",
  "looked.email_at_once": "بريد فوري",
  "looked.on": "في {days}",
  "exempt.critical": "يمر منها العاجل",
  "exempt.mandatory": "يمر منها الإلزامي",
  "exempt.category": "تمر منها هذه الفئة",
  "exempt.interactive": "الشخص داخل التطبيق",
  "why.but": "كان سيُرسل {at} لولا {what}.",
  "why.butWent": "كان سيُرسل {at} لولا {what}.",
  "why.and": " و",
};

export default words;
