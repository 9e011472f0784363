extension RelativeWords {
  /// The words of each known language. The entry of a language has these lines:
  ///
  /// 1. its tag, the words for now, today, tomorrow and yesterday, and the pattern of a date in a
  ///    sentence;
  /// 2. the days of the week in a sentence, where an underscore stands for a space, or one pattern
  ///    with `{weekday}`;
  /// 3. minutes and hours ahead, and minutes, hours and days ago, on five lines.
  ///
  /// `#` stands for the number. A line without plural categories has one form for all numbers. A
  /// line with `=` gives a tag the entry of another tag. The relative times are from the Unicode
  /// CLDR 48.
  static let table = """
    ar | الآن | اليوم | غدًا | أمس | في {date}
    يوم {weekday}
    one: خلال دقيقة واحدة | two: خلال دقيقتين | few: خلال # دقائق | many: خلال # دقيقة | other: \
    خلال # دقيقة
    one: خلال ساعة واحدة | two: خلال ساعتين | few: خلال # ساعات | many: خلال # ساعة | other: \
    خلال # ساعة
    one: قبل دقيقة واحدة | two: قبل دقيقتين | few: قبل # دقائق | many: قبل # دقيقة | other: قبل \
    # دقيقة
    one: قبل ساعة واحدة | two: قبل ساعتين | few: قبل # ساعات | many: قبل # ساعة | other: قبل # ساعة
    one: قبل يوم واحد | two: قبل يومين | few: قبل # أيام | many: قبل # يومًا | other: قبل # يوم
    bg | сега | днес | утре | вчера | на {date}
    в_понеделник във_вторник в_сряда в_четвъртък в_петък в_събота в_неделя
    one: след # минута | other: след # минути
    one: след # час | other: след # часа
    one: преди # минута | other: преди # минути
    one: преди # час | other: преди # часа
    one: преди # ден | other: преди # дни
    bn | এখন | আজ | আগামীকাল | গতকাল | {date}
    {weekday}
    # মিনিটে
    # ঘণ্টায়
    # মিনিট আগে
    # ঘণ্টা আগে
    # দিন আগে
    ca | ara | avui | demà | ahir | el {date}
    {weekday}
    one: d’aquí a # minut | other: d’aquí a # minuts
    one: d’aquí a # hora | other: d’aquí a # hores
    one: fa # minut | other: fa # minuts
    one: fa # hora | other: fa # hores
    one: fa # dia | other: fa # dies
    cs | nyní | dnes | zítra | včera | {date}
    v_pondělí v_úterý ve_středu ve_čtvrtek v_pátek v_sobotu v_neděli
    one: za # minutu | few: za # minuty | other: za # minut
    one: za # hodinu | few: za # hodiny | other: za # hodin
    one: před # minutou | few: před # minutami | other: před # minutami
    one: před # hodinou | few: před # hodinami | other: před # hodinami
    one: před # dnem | few: před # dny | other: před # dny
    da | nu | i dag | i morgen | i går | den {date}
    på {weekday}
    one: om # minut | other: om # minutter
    one: om # time | other: om # timer
    one: for # minut siden | other: for # minutter siden
    one: for # time siden | other: for # timer siden
    one: for # dag siden | other: for # dage siden
    de | jetzt | heute | morgen | gestern | am {date}
    am {weekday}
    one: in # Minute | other: in # Minuten
    one: in # Stunde | other: in # Stunden
    one: vor # Minute | other: vor # Minuten
    one: vor # Stunde | other: vor # Stunden
    one: vor # Tag | other: vor # Tagen
    el | τώρα | σήμερα | αύριο | χθες | στις {date}
    τη_Δευτέρα την_Τρίτη την_Τετάρτη την_Πέμπτη την_Παρασκευή το_Σάββατο την_Κυριακή
    one: σε # λεπτό | other: σε # λεπτά
    one: σε # ώρα | other: σε # ώρες
    one: πριν από # λεπτό | other: πριν από # λεπτά
    one: πριν από # ώρα | other: πριν από # ώρες
    one: πριν από # ημέρα | other: πριν από # ημέρες
    en | now | today | tomorrow | yesterday | on {date}
    on {weekday}
    one: in # minute | other: in # minutes
    one: in # hour | other: in # hours
    one: # minute ago | other: # minutes ago
    one: # hour ago | other: # hours ago
    one: # day ago | other: # days ago
    es | ahora | hoy | mañana | ayer | el {date}
    el {weekday}
    one: dentro de # minuto | other: dentro de # minutos
    one: dentro de # hora | other: dentro de # horas
    one: hace # minuto | other: hace # minutos
    one: hace # hora | other: hace # horas
    one: hace # día | other: hace # días
    et | nüüd | täna | homme | eile | {date}
    esmaspäeval teisipäeval kolmapäeval neljapäeval reedel laupäeval pühapäeval
    # minuti pärast
    # tunni pärast
    # minuti eest
    # tunni eest
    # päeva eest
    fi | nyt | tänään | huomenna | eilen | {date}
    maanantaina tiistaina keskiviikkona torstaina perjantaina lauantaina sunnuntaina
    # minuutin päästä
    # tunnin päästä
    one: # minuutti sitten | other: # minuuttia sitten
    one: # tunti sitten | other: # tuntia sitten
    one: # päivä sitten | other: # päivää sitten
    fil | ngayon | ngayong araw | bukas | kahapon | sa {date}
    sa {weekday}
    sa # minuto
    sa # oras
    # minuto ang nakalipas
    # oras ang nakalipas
    # araw ang nakalipas
    fr | maintenant | aujourd’hui | demain | hier | le {date}
    {weekday}
    one: dans # minute | other: dans # minutes
    one: dans # heure | other: dans # heures
    one: il y a # minute | other: il y a # minutes
    one: il y a # heure | other: il y a # heures
    one: il y a # jour | other: il y a # jours
    he | עכשיו | היום | מחר | אתמול | ב-{date}
    ב{weekday}
    one: בעוד דקה | two: בעוד # דקות | other: בעוד # דקות
    one: בעוד שעה | two: בעוד שעתיים | other: בעוד # שעות
    one: לפני דקה | two: לפני # דקות | other: לפני # דקות
    one: לפני שעה | two: לפני שעתיים | other: לפני # שעות
    one: לפני יום אחד | two: לפני יומיים | other: לפני # ימים
    hi | अब | आज | कल | कल | {date} को
    {weekday} को
    # मिनट में
    # घंटे में
    # मिनट पहले
    # घंटे पहले
    # दिन पहले
    hr | sad | danas | sutra | jučer | {date}
    u_ponedjeljak u_utorak u_srijedu u_četvrtak u_petak u_subotu u_nedjelju
    one: za # minutu | few: za # minute | other: za # minuta
    one: za # sat | few: za # sata | other: za # sati
    one: prije # minutu | few: prije # minute | other: prije # minuta
    one: prije # sat | few: prije # sata | other: prije # sati
    one: prije # dan | few: prije # dana | other: prije # dana
    hu | most | ma | holnap | tegnap | {date}
    hétfőn kedden szerdán csütörtökön pénteken szombaton vasárnap
    # perc múlva
    # óra múlva
    # perccel ezelőtt
    # órával ezelőtt
    # nappal ezelőtt
    id | sekarang | hari ini | besok | kemarin | pada {date}
    pada hari {weekday}
    dalam # menit
    dalam # jam
    # menit yang lalu
    # jam yang lalu
    # hari yang lalu
    is | núna | í dag | á morgun | í gær | {date}
    á_mánudag á_þriðjudag á_miðvikudag á_fimmtudag á_föstudag á_laugardag á_sunnudag
    one: eftir # mínútu | other: eftir # mínútur
    one: eftir # klukkustund | other: eftir # klukkustundir
    one: fyrir # mínútu | other: fyrir # mínútum
    one: fyrir # klukkustund | other: fyrir # klukkustundum
    one: fyrir # degi | other: fyrir # dögum
    it | ora | oggi | domani | ieri | il {date}
    {weekday}
    one: tra # minuto | other: tra # minuti
    one: tra # ora | other: tra # ore
    one: # minuto fa | other: # minuti fa
    one: # ora fa | other: # ore fa
    one: # giorno fa | other: # giorni fa
    ja | 今 | 今日 | 明日 | 昨日 | {date}
    {weekday}
    # 分後
    # 時間後
    # 分前
    # 時間前
    # 日前
    ko | 지금 | 오늘 | 내일 | 어제 | {date}
    {weekday}
    #분 후
    #시간 후
    #분 전
    #시간 전
    #일 전
    lt | dabar | šiandien | rytoj | vakar | {date}
    pirmadienį antradienį trečiadienį ketvirtadienį penktadienį šeštadienį sekmadienį
    one: po # minutės | few: po # minučių | other: po # minučių
    one: po # valandos | few: po # valandų | other: po # valandų
    one: prieš # minutę | few: prieš # minutes | other: prieš # minučių
    one: prieš # valandą | few: prieš # valandas | other: prieš # valandų
    one: prieš # dieną | few: prieš # dienas | other: prieš # dienų
    lv | tagad | šodien | rīt | vakar | {date}
    pirmdien otrdien trešdien ceturtdien piektdien sestdien svētdien
    zero: pēc # minūtēm | one: pēc # minūtes | other: pēc # minūtēm
    zero: pēc # stundām | one: pēc # stundas | other: pēc # stundām
    zero: pirms # minūtēm | one: pirms # minūtes | other: pirms # minūtēm
    zero: pirms # stundām | one: pirms # stundas | other: pirms # stundām
    zero: pirms # dienām | one: pirms # dienas | other: pirms # dienām
    ms | sekarang | hari ini | esok | semalam | pada {date}
    pada hari {weekday}
    dalam # minit
    dalam # jam
    # minit lalu
    # jam lalu
    # hari lalu
    nb | nå | i dag | i morgen | i går | {date}
    på {weekday}
    one: om # minutt | other: om # minutter
    one: om # time | other: om # timer
    one: for # minutt siden | other: for # minutter siden
    one: for # time siden | other: for # timer siden
    for # døgn siden
    nl | nu | vandaag | morgen | gisteren | op {date}
    op {weekday}
    one: over # minuut | other: over # minuten
    over # uur
    one: # minuut geleden | other: # minuten geleden
    # uur geleden
    one: # dag geleden | other: # dagen geleden
    nn | no | i dag | i morgon | i går | {date}
    på {weekday}
    om # minutt
    one: om # time | other: om # timar
    for # minutt sidan
    one: for # time sidan | other: for # timar sidan
    for # døgn sidan
    pl | teraz | dzisiaj | jutro | wczoraj | {date}
    w_poniedziałek we_wtorek w_środę w_czwartek w_piątek w_sobotę w_niedzielę
    one: za # minutę | few: za # minuty | many: za # minut
    one: za # godzinę | few: za # godziny | many: za # godzin
    one: # minutę temu | few: # minuty temu | many: # minut temu
    one: # godzinę temu | few: # godziny temu | many: # godzin temu
    one: # dzień temu | few: # dni temu | many: # dni temu
    pt | agora | hoje | amanhã | ontem | em {date}
    na_segunda-feira na_terça-feira na_quarta-feira na_quinta-feira na_sexta-feira no_sábado \
    no_domingo
    one: em # minuto | other: em # minutos
    one: em # hora | other: em # horas
    one: há # minuto | other: há # minutos
    one: há # hora | other: há # horas
    one: há # dia | other: há # dias
    pt-pt | agora | hoje | amanhã | ontem | a {date}
    na_segunda-feira na_terça-feira na_quarta-feira na_quinta-feira na_sexta-feira no_sábado \
    no_domingo
    one: dentro de # minuto | other: dentro de # minutos
    one: dentro de # hora | other: dentro de # horas
    one: há # minuto | other: há # minutos
    one: há # hora | other: há # horas
    one: há # dia | other: há # dias
    ro | acum | azi | mâine | ieri | pe {date}
    {weekday}
    one: peste # minut | few: peste # minute | other: peste # de minute
    one: peste # oră | few: peste # ore | other: peste # de ore
    one: acum # minut | few: acum # minute | other: acum # de minute
    one: acum # oră | few: acum # ore | other: acum # de ore
    one: acum # zi | few: acum # zile | other: acum # de zile
    ru | сейчас | сегодня | завтра | вчера | {date}
    в_понедельник во_вторник в_среду в_четверг в_пятницу в_субботу в_воскресенье
    one: через # минуту | few: через # минуты | many: через # минут
    one: через # час | few: через # часа | many: через # часов
    one: # минуту назад | few: # минуты назад | many: # минут назад
    one: # час назад | few: # часа назад | many: # часов назад
    one: # день назад | few: # дня назад | many: # дней назад
    sk | teraz | dnes | zajtra | včera | {date}
    v_pondelok v_utorok v_stredu vo_štvrtok v_piatok v_sobotu v_nedeľu
    one: o # minútu | few: o # minúty | other: o # minút
    one: o # hodinu | few: o # hodiny | other: o # hodín
    one: pred # minútou | few: pred # minútami | other: pred # minútami
    one: pred # hodinou | few: pred # hodinami | other: pred # hodinami
    one: pred # dňom | few: pred # dňami | other: pred # dňami
    sl | zdaj | danes | jutri | včeraj | {date}
    v_ponedeljek v_torek v_sredo v_četrtek v_petek v_soboto v_nedeljo
    one: čez # minuto | two: čez # minuti | few: čez # minute | other: čez # minut
    one: čez # uro | two: čez # uri | few: čez # ure | other: čez # ur
    one: pred # minuto | two: pred # minutama | few: pred # minutami | other: pred # minutami
    one: pred # uro | two: pred # urama | few: pred # urami | other: pred # urami
    one: pred # dnevom | two: pred # dnevoma | few: pred # dnevi | other: pred # dnevi
    sv | nu | i dag | i morgon | i går | den {date}
    på {weekday}
    one: om # minut | other: om # minuter
    one: om # timme | other: om # timmar
    one: för # minut sedan | other: för # minuter sedan
    one: för # timme sedan | other: för # timmar sedan
    one: för # dag sedan | other: för # dagar sedan
    sw | sasa hivi | leo | kesho | jana | {date}
    {weekday}
    baada ya dakika #
    baada ya saa #
    one: dakika # iliyopita | other: dakika # zilizopita
    one: saa # iliyopita | other: saa # zilizopita
    one: siku # iliyopita | other: siku # zilizopita
    th | ขณะนี้ | วันนี้ | พรุ่งนี้ | เมื่อวาน | ในวันที่ {date}
    ใน{weekday}
    ในอีก # นาที
    ในอีก # ชั่วโมง
    # นาทีที่ผ่านมา
    # ชั่วโมงที่ผ่านมา
    # วันที่ผ่านมา
    tr | şimdi | bugün | yarın | dün | {date}
    {weekday} günü
    # dakika sonra
    # saat sonra
    # dakika önce
    # saat önce
    # gün önce
    uk | зараз | сьогодні | завтра | учора | {date}
    в_понеділок у_вівторок в_середу в_четвер у_п'ятницю в_суботу в_неділю
    one: через # хвилину | few: через # хвилини | many: через # хвилин
    one: через # годину | few: через # години | many: через # годин
    one: # хвилину тому | few: # хвилини тому | many: # хвилин тому
    one: # годину тому | few: # години тому | many: # годин тому
    one: # день тому | few: # дні тому | many: # днів тому
    ur | اب | آج | آئندہ کل | کل | {date} کو
    {weekday} کو
    # منٹ میں
    # گھنٹے میں
    # منٹ پہلے
    one: # گھنٹہ پہلے | other: # گھنٹے پہلے
    one: # دن پہلے | other: # دنوں پہلے
    vi | bây giờ | hôm nay | ngày mai | hôm qua | vào ngày {date}
    vào {weekday}
    sau # phút nữa
    sau # giờ nữa
    # phút trước
    # giờ trước
    # ngày trước
    zh | 现在 | 今天 | 明天 | 昨天 | {date}
    {weekday}
    #分钟后
    #小时后
    #分钟前
    #小时前
    #天前
    zh-hant | 現在 | 今天 | 明天 | 昨天 | {date}
    {weekday}
    # 分鐘後
    # 小時後
    # 分鐘前
    # 小時前
    # 天前
    no = nb
    zh-tw = zh-hant
    """
}
