extension LocalWords {
  /// The words of each known language. The entry of a language has these lines:
  ///
  /// 1. its tag, the formats of date and time, and for 12-hour clocks the words for AM and PM;
  /// 2. the days of the week from Monday;
  /// 3. the months in the form that a date requires, on two lines.
  ///
  /// A line with `=` gives a tag the entry of another tag. An underscore stands for a space. The
  /// words are from Debian's package `locales`.
  static let table = """
    en | {month} {day}, {year} | {h}:{mm} {a} | AM | PM
    Monday Tuesday Wednesday Thursday Friday Saturday Sunday
    January February March April May June
    July August September October November December
    en-gb | {day} {month} {year} | {HH}:{mm}
    Monday Tuesday Wednesday Thursday Friday Saturday Sunday
    January February March April May June
    July August September October November December
    en-ie = en-gb
    en-za = en-gb
    en-au | {day} {month} {year} | {h}:{mm} {a} | am | pm
    Monday Tuesday Wednesday Thursday Friday Saturday Sunday
    January February March April May June
    July August September October November December
    en-nz = en-au
    en-in = en-au
    de | {day}. {month} {year} | {HH}:{mm}
    Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag
    Januar Februar März April Mai Juni
    Juli August September Oktober November Dezember
    de-at | {day}. {month} {year} | {HH}:{mm}
    Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag
    Jänner Februar März April Mai Juni
    Juli August September Oktober November Dezember
    fr | {day} {month} {year} | {HH}:{mm}
    lundi mardi mercredi jeudi vendredi samedi dimanche
    janvier février mars avril mai juin
    juillet août septembre octobre novembre décembre
    fr-ca | {day} {month} {year} | {HH} h {mm}
    lundi mardi mercredi jeudi vendredi samedi dimanche
    janvier février mars avril mai juin
    juillet août septembre octobre novembre décembre
    es | {day} de {month} de {year} | {H}:{mm}
    lunes martes miércoles jueves viernes sábado domingo
    enero febrero marzo abril mayo junio
    julio agosto septiembre octubre noviembre diciembre
    es-mx | {day} de {month} de {year} | {h}:{mm} {a} | a.m. | p.m.
    lunes martes miércoles jueves viernes sábado domingo
    enero febrero marzo abril mayo junio
    julio agosto septiembre octubre noviembre diciembre
    es-us = es-mx
    pt | {day} de {month} de {year} | {HH}:{mm}
    segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo
    janeiro fevereiro março abril maio junho
    julho agosto setembro outubro novembro dezembro
    it | {day} {month} {year} | {HH}:{mm}
    lunedì martedì mercoledì giovedì venerdì sabato domenica
    gennaio febbraio marzo aprile maggio giugno
    luglio agosto settembre ottobre novembre dicembre
    nl | {day} {month} {year} | {HH}:{mm}
    maandag dinsdag woensdag donderdag vrijdag zaterdag zondag
    januari februari maart april mei juni
    juli augustus september oktober november december
    ca | {day} {month} de {year} | {H}:{mm}
    dilluns dimarts dimecres dijous divendres dissabte diumenge
    de_gener de_febrer de_març d’abril de_maig de_juny
    de_juliol d’agost de_setembre d’octubre de_novembre de_desembre
    da | {day}. {month} {year} | {HH}.{mm}
    mandag tirsdag onsdag torsdag fredag lørdag søndag
    januar februar marts april maj juni
    juli august september oktober november december
    sv | {day} {month} {year} | {HH}:{mm}
    måndag tisdag onsdag torsdag fredag lördag söndag
    januari februari mars april maj juni
    juli augusti september oktober november december
    nb | {day}. {month} {year} | {HH}:{mm}
    mandag tirsdag onsdag torsdag fredag lørdag søndag
    januar februar mars april mai juni
    juli august september oktober november desember
    no = nb
    nn | {day}. {month} {year} | {HH}:{mm}
    måndag tysdag onsdag torsdag fredag laurdag sundag
    januar februar mars april mai juni
    juli august september oktober november desember
    fi | {day}. {month} {year} | {H}.{mm}
    maanantai tiistai keskiviikko torstai perjantai lauantai sunnuntai
    tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta
    heinäkuuta elokuuta syyskuuta lokakuuta marraskuuta joulukuuta
    is | {day}. {month} {year} | {HH}:{mm}
    mánudagur þriðjudagur miðvikudagur fimmtudagur föstudagur laugardagur sunnudagur
    janúar febrúar mars apríl maí júní
    júlí ágúst september október nóvember desember
    pl | {day} {month} {year} | {HH}:{mm}
    poniedziałek wtorek środa czwartek piątek sobota niedziela
    stycznia lutego marca kwietnia maja czerwca
    lipca sierpnia września października listopada grudnia
    cs | {day}. {month} {year} | {H}:{mm}
    pondělí úterý středa čtvrtek pátek sobota neděle
    ledna února března dubna května června
    července srpna září října listopadu prosince
    sk | {day}. {month} {year} | {H}:{mm}
    pondelok utorok streda štvrtok piatok sobota nedeľa
    januára februára marca apríla mája júna
    júla augusta septembra októbra novembra decembra
    sl | {day}. {month} {year} | {HH}:{mm}
    ponedeljek torek sreda četrtek petek sobota nedelja
    januarja februarja marca aprila maja junija
    julija avgusta septembra oktobra novembra decembra
    hr | {day}. {month} {year}. | {HH}:{mm}
    ponedjeljak utorak srijeda četvrtak petak subota nedjelja
    siječnja veljače ožujka travnja svibnja lipnja
    srpnja kolovoza rujna listopada studenoga prosinca
    hu | {year}. {month} {day}. | {H}:{mm}
    hétfő kedd szerda csütörtök péntek szombat vasárnap
    január február március április május június
    július augusztus szeptember október november december
    ro | {day} {month} {year} | {HH}:{mm}
    luni marți miercuri joi vineri sâmbătă duminică
    ianuarie februarie martie aprilie mai iunie
    iulie august septembrie octombrie noiembrie decembrie
    bg | {day} {month} {year} г. | {H}:{mm}
    понеделник вторник сряда четвъртък петък събота неделя
    януари февруари март април май юни
    юли август септември октомври ноември декември
    ru | {day} {month} {year} г. | {HH}:{mm}
    понедельник вторник среда четверг пятница суббота воскресенье
    января февраля марта апреля мая июня
    июля августа сентября октября ноября декабря
    uk | {day} {month} {year} р. | {HH}:{mm}
    понеділок вівторок середа четвер п'ятниця субота неділя
    січня лютого березня квітня травня червня
    липня серпня вересня жовтня листопада грудня
    lt | {year} m. {month} {day} d. | {HH}:{mm}
    pirmadienis antradienis trečiadienis ketvirtadienis penktadienis šeštadienis sekmadienis
    sausio vasario kovo balandžio gegužės birželio
    liepos rugpjūčio rugsėjo spalio lapkričio gruodžio
    lv | {year}. gada {day}. {month} | {HH}:{mm}
    pirmdiena otrdiena trešdiena ceturtdiena piektdiena sestdiena svētdiena
    janvāris februāris marts aprīlis maijs jūnijs
    jūlijs augusts septembris oktobris novembris decembris
    et | {day}. {month} {year} | {HH}:{mm}
    esmaspäev teisipäev kolmapäev neljapäev reede laupäev pühapäev
    jaanuar veebruar märts aprill mai juuni
    juuli august september oktoober november detsember
    el | {day} {month} {year} | {h}:{mm} {a} | π.μ. | μ.μ.
    Δευτέρα Τρίτη Τετάρτη Πέμπτη Παρασκευή Σάββατο Κυριακή
    Ιανουαρίου Φεβρουαρίου Μαρτίου Απριλίου Μαΐου Ιουνίου
    Ιουλίου Αυγούστου Σεπτεμβρίου Οκτωβρίου Νοεμβρίου Δεκεμβρίου
    tr | {day} {month} {year} | {HH}:{mm}
    Pazartesi Salı Çarşamba Perşembe Cuma Cumartesi Pazar
    Ocak Şubat Mart Nisan Mayıs Haziran
    Temmuz Ağustos Eylül Ekim Kasım Aralık
    ar | {day} {month} {year} | {h}:{mm} {a} | ص | م
    الاثنين الثلاثاء الأربعاء الخميس الجمعة السبت الأحد
    يناير فبراير مارس أبريل مايو يونيو
    يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر
    ur | {day} {month} {year} | {h}:{mm} {a} | AM | PM
    پير منگل بدھ جمعرات جمعه هفته اتوار
    جنوری فروری مارچ اپریل مئی جون
    جولائی اگست ستمبر اکتوبر نومبر دسمبر
    he | {day} ב{month} {year} | {H}:{mm}
    יום_שני יום_שלישי יום_רביעי יום_חמישי יום_שישי יום_שבת יום_ראשון
    ינואר פברואר מרץ אפריל מאי יוני
    יולי אוגוסט ספטמבר אוקטובר נובמבר דצמבר
    hi | {day} {month} {year} | {h}:{mm} {a} | am | pm
    सोमवार मंगलवार बुधवार गुरुवार शुक्रवार शनिवार रविवार
    जनवरी फ़रवरी मार्च अप्रैल मई जून
    जुलाई अगस्त सितंबर अक्तूबर नवंबर दिसंबर
    bn | {day} {month}, {year} | {h}:{mm} {a} | AM | PM
    সোমবার মঙ্গলবার বুধবার বৃহস্পতিবার শুক্রবার শনিবার রবিবার
    জানুয়ারী ফেব্রুয়ারী মার্চ এপ্রিল মে জুন
    জুলাই আগস্ট সেপ্টেম্বর অক্টোবর নভেম্বর ডিসেম্বর
    id | {day} {month} {year} | {HH}.{mm}
    Senin Selasa Rabu Kamis Jumat Sabtu Minggu
    Januari Februari Maret April Mei Juni
    Juli Agustus September Oktober November Desember
    ms | {day} {month} {year} | {h}:{mm} {a} | PG | PTG
    Isnin Selasa Rabu Khamis Jumaat Sabtu Ahad
    Januari Februari Mac April Mei Jun
    Julai Ogos September Oktober November Disember
    fil | {month} {day}, {year} | {h}:{mm} {a} | AM | PM
    Lunes Martes Miyerkoles Huwebes Biyernes Sabado Linggo
    Enero Pebrero Marso Abril Mayo Hunyo
    Hulyo Agosto Setyembre Oktubre Nobyembre Disyembre
    sw | {day} {month} {year} | {HH}:{mm}
    Jumatatu Jumanne Jumatano Alhamisi Ijumaa Jumamosi Jumapili
    Januari Februari Machi Aprili Mei Juni
    Julai Agosti Septemba Oktoba Novemba Desemba
    vi | {day} {month}, {year} | {HH}:{mm}
    Thứ_hai Thứ_ba Thứ_tư Thứ_năm Thứ_sáu Thứ_bảy Chủ_nhật
    tháng_1 tháng_2 tháng_3 tháng_4 tháng_5 tháng_6
    tháng_7 tháng_8 tháng_9 tháng_10 tháng_11 tháng_12
    th | {day} {month} {year} | {HH}:{mm}
    วันจันทร์ วันอังคาร วันพุธ วันพฤหัสบดี วันศุกร์ วันเสาร์ วันอาทิตย์
    มกราคม กุมภาพันธ์ มีนาคม เมษายน พฤษภาคม มิถุนายน
    กรกฎาคม สิงหาคม กันยายน ตุลาคม พฤศจิกายน ธันวาคม
    ja | {year}年{month}{day}日 | {H}:{mm}
    月曜日 火曜日 水曜日 木曜日 金曜日 土曜日 日曜日
    1月 2月 3月 4月 5月 6月
    7月 8月 9月 10月 11月 12月
    ko | {year}년 {month} {day}일 | {a} {h}:{mm} | 오전 | 오후
    월요일 화요일 수요일 목요일 금요일 토요일 일요일
    1월 2월 3월 4월 5월 6월
    7월 8월 9월 10월 11월 12월
    zh | {year}年{month}{day}日 | {HH}:{mm}
    星期一 星期二 星期三 星期四 星期五 星期六 星期日
    1月 2月 3月 4月 5月 6月
    7月 8月 9月 10月 11月 12月
    zh-hant | {year}年{month}{day}日 | {HH}:{mm}
    星期一 星期二 星期三 星期四 星期五 星期六 星期日
    1月 2月 3月 4月 5月 6月
    7月 8月 9月 10月 11月 12月
    zh-tw = zh-hant
    """
}
