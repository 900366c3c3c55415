/**
 * A month: its name in English and Nepali, and `spelt`, a pattern of all its spellings. Its Latin letters are in lower case and have no
 * accents.
 */
export type MonthName = { en: string; ne: string; spelt: string }

/**
 * Returns a pattern that matches any of the months, and a function from a spelling to its month: from 1, or 0 if none
 * fits.
 */
export function monthMatcher(months: readonly MonthName[]): { pattern: string; numberOf: (name: string) => number } {
  const spellings = months.map(({ spelt }) => new RegExp(`^(?:${spelt})$`))
  return {
    pattern: `(?:${months.map(({ spelt }) => spelt).join('|')})`,
    numberOf: (name) => spellings.findIndex((spelling) => spelling.test(name)) + 1,
  }
}

export const civilMonths: readonly MonthName[] = [
  { en: 'January', ne: 'जनवरी', spelt: 'jan(?:uary|\\.)?|जनवरी' },
  { en: 'February', ne: 'फेब्रुअरी', spelt: 'feb(?:ruary|\\.)?|फेब्रुअरी|फेब्रुवरी|फरवरी' },
  { en: 'March', ne: 'मार्च', spelt: 'mar(?:ch|\\.)?|मार्च' },
  { en: 'April', ne: 'अप्रिल', spelt: 'apr(?:il|\\.)?|अप्रिल|अप्रैल' },
  { en: 'May', ne: 'मे', spelt: 'may|मे|मई' },
  { en: 'June', ne: 'जुन', spelt: 'june?\\.?|जुन|जून' },
  { en: 'July', ne: 'जुलाई', spelt: 'july?\\.?|जुलाई|जुलाइ' },
  { en: 'August', ne: 'अगस्ट', spelt: 'aug(?:ust|\\.)?|अगस्ट|अगस्त' },
  { en: 'September', ne: 'सेप्टेम्बर', spelt: 'sept?(?:ember|\\.)?|सेप्टेम्बर|सितम्बर' },
  { en: 'October', ne: 'अक्टोबर', spelt: 'oct(?:ober|\\.)?|अक्टोबर|अक्टुबर' },
  { en: 'November', ne: 'नोभेम्बर', spelt: 'nov(?:ember|\\.)?|नोभेम्बर|नवम्बर' },
  { en: 'December', ne: 'डिसेम्बर', spelt: 'dec(?:ember|\\.)?|डिसेम्बर|दिसम्बर' },
]

export const solarMonths: readonly MonthName[] = [
  { en: 'Baishakh', ne: 'वैशाख', spelt: 'bais?h?akh|[bv]ais(?:h)?akha?|वैशाख|बैशाख|बैसाख' },
  { en: 'Jestha', ne: 'जेठ', spelt: 'jesth?a?|jeth|jyais?h?tha?|jyes?h?tha?|जेठ|जेष्ठ|ज्येष्ठ' },
  { en: 'Ashadh', ne: 'असार', spelt: 'as?h?adha?|as?h?ad|ash?aa?r|असार|अषाढ|आषाढ' },
  { en: 'Shrawan', ne: 'साउन', spelt: 's?hra[wv]ana?|sra[wv]ana?|saun|sa[wv]an|साउन|सावन|श्रावण' },
  { en: 'Bhadra', ne: 'भदौ', spelt: 'bhadrapada?|bhadra|bhad(?:au|aw|o)|भदौ|भाद्र|भाद्रपद' },
  { en: 'Ashwin', ne: 'असोज', spelt: 'as?h?[wv]ina?|ash?(?:o|au)j|असोज|आसोज|असौज|आश्विन|अश्विन' },
  { en: 'Kartik', ne: 'कात्तिक', spelt: 'ka(?:r|a)?tt?ika?|कार्तिक|कात्तिक|कार्त्तिक' },
  { en: 'Mangsir', ne: 'मङ्सिर', spelt: 'm[au]ngsh?ir|mansir|margas?h?irs?h?a?|marga|मङ्सिर|मंसिर|मंग्सिर|मार्ग|मार्गशीर्ष' },
  { en: 'Poush', ne: 'पुस', spelt: 'p(?:o|a)?us?h?a?|poosh?|पुस|पुष|पौष|पौस' },
  { en: 'Magh', ne: 'माघ', spelt: 'maa?gha?|maa?g|माघ' },
  { en: 'Falgun', ne: 'फागुन', spelt: '(?:ph|f)aa?lguna?|(?:ph|f)aa?gun|फागुन|फाल्गुन|फाल्गुण' },
  { en: 'Chaitra', ne: 'चैत', spelt: 'ch?aitra?|chaita?|chet|चैत|चैत्र' },
]

/** The lunar months of Nepal Sambat by their Newar names. Their spellings include the Sanskrit names. */
export const lunarMonthNames: readonly MonthName[] = [
  { en: 'Kachhala', ne: 'कछला', spelt: `kach?chh?ala|kach?hala|कछला|कार्तिक|kartt?ika?` },
  { en: 'Thinla', ne: 'थिंला', spelt: 'thim?n?la|थिंला|थिँला|margas?h?irs?h?a?|marga|मार्ग|मार्गशीर्ष' },
  { en: 'Pohela', ne: 'पोहेला', spelt: 'p(?:w|y)?ohe?y?la|पोहेला|प्वहेला|paus?h?a?|poush|पौष' },
  { en: 'Silla', ne: 'सिल्ला', spelt: 'sill?a|सिल्ला|सिला|magha?|माघ' },
  { en: 'Chilla', ne: 'चिल्ला', spelt: 'chill?a|चिल्ला|चिला|(?:ph|f)alguna?|फाल्गुन|फाल्गुण' },
  { en: 'Chaula', ne: 'चौला', spelt: 'chaula|chaurla|चौला|ch?aitra?|चैत्र' },
  { en: 'Bachhala', ne: 'बछला', spelt: 'bach?chh?ala|bach?hala|बछला|[bv]ais?h?akha?|वैशाख' },
  { en: 'Tachhala', ne: 'तछला', spelt: 'tach?chh?ala|tach?hala|तछला|jyes?h?tha?|jyais?h?tha?|jestha|ज्येष्ठ' },
  { en: 'Dilla', ne: 'दिल्ला', spelt: 'dill?a|दिल्ला|दिला|as?h?adha?|आषाढ' },
  { en: 'Gunla', ne: 'गुंला', spelt: 'gum?n?la|गुंला|गुँला|s?hra[wv]ana?|sra[wv]ana?|श्रावण' },
  { en: 'Yanla', ne: 'ञंला', spelt: 'y[ae]m?n?la|nyam?n?la|ञंला|ञला|येंला|यंला|bhadrapada?|bhadra|भाद्र|भाद्रपद' },
  { en: 'Kaula', ne: 'कौला', spelt: 'kaula|kaurla|कौला|as?h?[wv]ina?|आश्विन' },
]
