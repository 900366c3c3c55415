import { respell } from '../../matching/index.ts'

/**
 * Pairs of spellings of one sound, in the form of terms. Folding cannot make them equal: a word that is cut between their letters would
 * then fold differently from the whole word.
 */
const pairs: readonly (readonly [string, string])[] = [
  ['ks', 'c'], // Kshetrapal, Chhetrapal
  ['laksmi', 'lacimi'], // Lakshmi, Lachhimi
  ['mb', 'nb'], // Shambhu, Shanbhu
  ['mp', 'np'], // Champa, Chanpa
  ['ng', 'nh'], // Singha, Sinha
  ['ng', 'mh'], // Singha, Simha
  ['ai', 'ay'], // Bhairab, Bhayrab
  ['ia', 'ya'], // Indriani, Indryani
  ['ia', 'iya'], // Indriani, Indriyani
  ['ia', 'iy'], // Bhatia, Bhatiya; a term has lost its last vowel
  ['ua', 'uba'], // Bhuali, Bhuwali
  ['ua', 'ub'], // Kua, Kuwa
  ['sba', 'soba'], // Guhyeshwari, Guhyeshowari
  ['hy', 'h'], // Guhyeshwari, Guheshwari
  ['gy', 'jny'], // Gyan, Jnyan
  ['gy', 'jn'], // Gyaneshwor, Jnaneshwor
  ['gy', 'gny'], // Yagya, Yagnya
  ['ya', 'ja'], // Yatra, Jatra
  ['yu', 'ju'], // Jyapu
  ['yo', 'jo'], // Yogini, Jogini
  ['isba', 'esba'], // Vagishwari, Bageshwari
  ['durbar', 'darbar'],
  ['dyah', 'dyo'], // the word for god in Newar names
  ['bahal', 'bah'], // a court of a monastery, in Newar names
  ['ri', 'ru'], // Amrit, Amrut
]

/** Other spellings of a term: one pair exchanged in one place, or one silent vowel added or left out. */
export function otherSpellingsOf(term: string): Set<string> {
  const spellings = new Set<string>()
  for (const [one, other] of pairs) {
    exchange(term, one, other, spellings)
    exchange(term, other, one, spellings)
  }
  // Between two open syllables an a may be silent: Bhagawati, Bhagwati. So may the last vowel of a term: Krishana,
  // Krishna.
  for (const whole of [term, `${term}a`])
    for (const { index } of whole.matchAll(silentVowel))
      spellings.add(respell(whole.slice(0, index) + whole.slice(index + 1)))
  for (const { index } of term.matchAll(missingVowel))
    spellings.add(respell(`${term.slice(0, index)}a${term.slice(index)}`))
  spellings.delete(term)
  return spellings
}

const silentVowel = /(?<=[aeiou][bcdghjklmnprst])a(?=[bcdghjklmnprsty][aeiou])/g
const missingVowel = /(?<=[aeiou][bcdghjklmnprst])(?=[bcdghjklmnprsty][aeiou])/g

function exchange(term: string, from: string, to: string, spellings: Set<string>): void {
  for (let at = term.indexOf(from); at >= 0; at = term.indexOf(from, at + 1))
    spellings.add(respell(term.slice(0, at) + to + term.slice(at + from.length)))
}

/** Honours and places that writers add to a name or leave out. Examples: Pashupati, Pashupatinath, and Annapurna, Annapurnadevi. */
const endings = ['nat', 'debi', 'mai', 'ji', 'stan', 'tan', 'dam', 'ko']

/** The term with each of these endings, or without its own ending, if `shortest` letters remain. */
export function otherEndingsOf(term: string, shortest = 4): string[] {
  return endings.flatMap((ending) => {
    if (!term.endsWith(ending)) return [respell(term + ending), respell(`${term}a${ending}`)]
    const stem = respell(term.slice(0, -ending.length))
    return stem.length >= shortest ? [stem] : []
  })
}
