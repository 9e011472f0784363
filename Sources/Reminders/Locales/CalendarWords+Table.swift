extension CalendarWords {
  /// The words of each calendar in each known language. An entry has these lines:
  ///
  /// 1. the calendar, the tag of the language, and the format of a date;
  /// 2. the months in the form that a date requires, on two lines; Adar II of Hebrew leap years is
  ///    the last.
  ///
  /// An underscore stands for a space. The words are from the Unicode CLDR. Digits are ASCII, as in
  /// other dates.
  static let table = """
    islamic-umalqura en | {month} {day}, {year} AH
    Muharram Safar Rabiʻ_I Rabiʻ_II Jumada_I Jumada_II
    Rajab Shaʻban Ramadan Shawwal Dhuʻl-Qiʻdah Dhuʻl-Hijjah
    islamic-umalqura de | {day}. {month} {year} AH
    Muharram Safar Rabiʻ_I Rabiʻ_II Dschumada_I Dschumada_II
    Radschab Shaʻban Ramadan Shawwal Dhu_l-qaʿda Dhu_l-Hiddscha
    islamic-umalqura ar | {day} {month}، {year} هـ
    محرم صفر ربيع_الأول ربيع_الآخر جمادى_الأولى جمادى_الآخرة
    رجب شعبان رمضان شوال ذو_القعدة ذو_الحجة
    islamic-umalqura fr | {day} {month} {year} AH
    mouharram safar rabia_al_awal rabia_ath-thani joumada_al_oula joumada_ath-thania
    rajab chaabane ramadan chawwal dhou_al_qi`da dhou_al-hijja
    islamic-umalqura es | {day} de {month} de {year} AH
    muharram safar rabiʻ_I rabiʻ_II jumada_I jumada_II
    rajab shaʻban ramadán shawwal dhuʻl-qiʻdah dhuʻl-hijjah
    islamic-umalqura tr | Hicri {day} {month} {year}
    Muharrem Safer Rebiülevvel Rebiülahir Cemaziyelevvel Cemaziyelahir
    Recep Şaban Ramazan Şevval Zilkade Zilhicce
    islamic-umalqura id | {day} {month} {year} H
    Muharam Safar Rabiulawal Rabiulakhir Jumadilawal Jumadilakhir
    Rajab Syakban Ramadan Syawal Zulkaidah Zulhijah
    islamic-umalqura ms | {day} {month} {year} H
    Muharam Safar Rabiulawal Rabiulakhir Jamadilawal Jamadilakhir
    Rejab Syaaban Ramadan Syawal Zulkaedah Zulhijah
    islamic-umalqura ur | {day} {month}، {year} ہجری
    محرم صفر ربیع_الاول ربیع_الثانی جمادی_الاول جمادی_الثانی
    رجب شعبان رمضان شوال ذو_القعدہ ذو_الحجہ
    islamic-umalqura fa | {day} {month} {year} ه\u{200D}.ق.
    محرم صفر ربیع\u{200C}الاول ربیع\u{200C}الثانی جمادی\u{200C}الاول جمادی\u{200C}الثانی
    رجب شعبان رمضان شوال ذیقعده ذیحجه
    islamic-umalqura he | {day} ב{month} {year} הג׳רה
    מוחרם צפר רביע_אל-אוול רביע_א-ת׳אני ג׳ומאדא_אל-אולא ג׳ומאדא_א-ת׳אניה
    רג׳ב שעבאן רמדאן שוואל ד׳ו_אל־קעדה ד׳ו_אל־חיג׳ה
    islamic-umalqura ru | {day} {month} {year} г. AH
    мухаррам сафар раби-уль-авваль раби-уль-ахир джумад-уль-авваль джумад-уль-ахир
    раджаб шаабан рамадан шавваль зуль-каада зуль-хиджжа
    islamic-umalqura nl | {day} {month} {year} AH
    Moeharram Safar Rabiʻa_al_awal Rabiʻa_al_thani Joemadʻal_awal Joemadʻal_thani
    Rajab Sjaʻaban Ramadan Sjawal Doe_al_kaʻaba Doe_al_hizja
    islamic-umalqura bn | {day} {month}, {year} যুগ
    মহররম সফর রবিউল_আউয়াল রবিউস_সানি জমাদিউল_আউয়াল জমাদিউস_সানি
    রজব শা‘বান রমজান শাওয়াল জ্বিলকদ জ্বিলহজ্জ
    islamic-umalqura hi | {day} {month} {year} हिजरी
    मुहर्रम सफ़र रबी_अलअव्वल रबी_अस्सानी जुमादा_अलअव्वल जुमादा_अस्सानी
    रजब शाबान रमज़ान शव्वाल ज़ू_अलक़ादा ज़ू_अलहिज्जा
    persian en | {month} {day}, {year} AP
    Farvardin Ordibehesht Khordad Tir Mordad Shahrivar
    Mehr Aban Azar Dey Bahman Esfand
    persian de | {day}. {month} {year} AP
    Farwardin Ordibehescht Chordād Tir Mordād Schahriwar
    Mehr Ābān Āsar Déi Bahman Essfand
    persian ar | {day} {month}، {year} ه\u{200D}.ش
    فرفردن أذربيهشت خرداد تار مرداد شهرفار
    مهر آيان آذر دي بهمن اسفندار
    persian fr | {day} {month} {year} A. P.
    farvardin ordibehešt khordâd tir mordâd šahrivar
    mehr âbân âzar dey bahman esfand
    persian es | {day} de {month} de {year} AP
    farvardin ordibehesht khordad tir mordad shahrivar
    mehr aban azar dey bahman esfand
    persian tr | AP {day} {month} {year}
    Ferverdin Ordibeheşt Hordad Tir Mordad Şehriver
    Mehr Aban Azer Dey Behmen Esfend
    persian id | {day} {month} {year} AP
    Farvardin Ordibehesht Khordad Tir Mordad Shahrivar
    Mehr Aban Azar Dey Bahman Esfand
    persian ms | {day} {month} {year} AP
    Farvardin Ordibehesht Khordad Tir Mordad Shahrivar
    Mehr Aban Azar Dey Bahman Esfand
    persian ur | {day} {month}، {year} AP
    فروردن آرڈبائش خداداد تیر مرداد شہریوار
    مہر ابان آزر ڈے بہمن اسفند
    persian fa | {day} {month} {year}
    فروردین اردیبهشت خرداد تیر مرداد شهریور
    مهر آبان آذر دی بهمن اسفند
    persian he | {day} ב{month} {year} AP
    פרורדין ארדיבהשת ח׳רדאד תיר מרדאד שהריור
    מהר אבאן אד׳ר די בהמן אספנד
    persian ru | {day} {month} {year} г. перс. год
    фарвардин ордибехешт хордад тир мордад шахривер
    мехр абан азер дей бахман эсфанд
    persian nl | {day} {month} {year} AP
    Farvardin Ordibehesht Khordad Tir Mordad Shahrivar
    Mehr Aban Azar Dey Bahman Esfand
    persian bn | {day} {month}, {year} AP
    ফ্যাভার্ডিন অরডিবেহেশ্ত খোর্দ্দ তীর মর্যাদ শাহরিবার
    মেহের আবান বাজার দে বাহমান এসফ্যান্ড
    persian hi | {day} {month} {year} AP
    फर्वादिन ओर्दिवेहेस्ट खोरर्दाद टिर मोरदाद शाहरीवर्
    मेहर अवन अज़र डे बहमन ईस्फन्द्
    hebrew en | {day} {month} {year}
    Tishri Heshvan Kislev Tevet Shevat Adar_I Adar
    Nisan Iyar Sivan Tamuz Av Elul Adar_II
    hebrew de | {day}. {month} {year} AM
    Tischri Cheschwan Kislew Tevet Schevat Adar_I Adar
    Nisan Ijjar Siwan Tammus Aw Elul Adar_II
    hebrew ar | {day} {month}، {year} ص
    تشري مرحشوان كيسلو طيفت شباط آذار_الأول آذار
    نيسان أيار سيفان تموز آب أيلول آذار_الثاني
    hebrew fr | {day} {month} {year} A. M.
    tichri hèchvan kislev téveth chevat adar_I adar
    nissan iyar sivan tamouz av éloul adar_II
    hebrew es | {day} de {month} de {year} AM
    tishri heshvan kislev tevet shevat adar_I adar
    nisan iyar sivan tamuz av elul adar_II
    hebrew tr | AM {day} {month} {year}
    Tişri Heşvan Kislev Tevet Şevat Adar_Rişon Adar
    Nisan İyar Sivan Tamuz Av Elul Veadar
    hebrew id | {day} {month} {year} AM
    Tishri Heshvan Kislev Tevet Shevat Adar_I Adar
    Nisan Iyar Sivan Tamuz Av Elul Adar_II
    hebrew ms | {day} {month} {year} AM
    Tishri Heshvan Kislev Tevet Shevat Adar_I Adar
    Nisan Iyar Sivan Tamuz Av Elul Adar_II
    hebrew ur | {day} {month}، {year} AM
    ٹشری هےشوان کسلیو تیویت شیوت آدر_اوّل آدر
    نسان ایئر سیون تموز او ای_لول آدر_دوّم
    hebrew fa | {day} {month} {year} تقویم عبری
    تشری حشوان کسلو طوت شباط آذار واذار
    نیسان ایار سیوان تموز آب ایلول واذار_الثانی
    hebrew he | {day} ב{month} {year}
    תשרי חשון כסלו טבת שבט אדר_א׳ אדר
    ניסן אייר סיון תמוז אב אלול אדר_ב׳
    hebrew ru | {day} {month} {year} г. AM
    тишрей хешван кислев тевет шеват адар_I адар
    нисан ияр сиван таммуз ав элул адар_II
    hebrew nl | {day} {month} {year} AM
    Tisjrie Chesjwan Kislev Tevet Sjevat Adar_A Adar
    Nisan Ijar Sivan Tammoez Av Elloel Adar_B
    hebrew bn | {day} {month}, {year} AM
    তিশরি হেশভান কিসলেভ তেভেত শেভাত আডার_I আডার
    নিশান আয়ার সিভান তামুজ অভ এলুল আডার_II
    hebrew hi | {day} {month} {year} AM
    Tishri Heshvan Kislev Tevet Shevat Adar_I Adar
    Nisan Iyar Sivan Tamuz Av Elul Adar_II
    """
}
