/**
 * Writes words in Devanagari and its sister scripts in plain Latin letters, as on signs in Nepal. Leaves other scripts as they are.
 */
export function romanise(text: string): string {
  return toDevanagari(text).replace(/[\u0900-\u097f]+/g, (word) => {
    const court = /दर[बव]ार$/.exec(word)?.index
    return (
      customarySpellings[word] ?? (court ? `${spell(word.slice(0, court))}${customarySpellings.दरबार}` : spell(word))
    )
  })
}

/**
 * Writes Bengali, Gurmukhi, Gujarati, Odia, Tamil, Telugu, Kannada and Malayalam letters as the Devanagari letters of the same sound. In
 * Unicode each of these scripts has 128 places, and a sound has the same place in all.
 */
const toDevanagari = (text: string): string =>
  text.replace(/[\u0980-\u0d7f]+/g, (run) =>
    run
      .normalize('NFC')
      .replace(/[\s\S]/g, (letter) => {
        const place = letter.charCodeAt(0) % 128
        return place <= LAST_SHARED_PLACE ? String.fromCharCode(0x900 + place) : letter
      })
      .normalize('NFD'),
  )
/** Beyond this place, at the end of the digits, each script has letters of its own. */
const LAST_SHARED_PLACE = 0x6f

/**
 * Returns a Devanagari word with two neighbouring syllables swapped, once for each pair. This is the typing error that
 * corresponds to swapped letters in Latin script.
 */
export function swapSyllables(word: string): string[] {
  const syllables = word.split(/(?<!्)(?=[\u0904-\u0939\u0958-\u0961])/)
  return syllables
    .slice(1)
    .map((syllable, i) => [...syllables.slice(0, i), syllable, syllables[i], ...syllables.slice(i + 2)].join(''))
    .filter((swapped) => swapped !== word)
}

/** Words with a customary Latin spelling, which is not a transcription. */
const customarySpellings: Readonly<Record<string, string>> = {
  दरबार: 'durbar',
  दरवार: 'durbar',
  काठमाडौं: 'kathmandu',
  काठमाडौँ: 'kathmandu',
  काठमाण्डौ: 'kathmandu',
  काठमान्डु: 'kathmandu',
}

const consonants: Readonly<Record<string, string>> = {
  ...{ क: 'k', ख: 'kh', ग: 'g', घ: 'gh', ङ: 'n', च: 'ch', छ: 'chh', ज: 'j', झ: 'jh', ञ: 'n' },
  ...{ ट: 't', ठ: 'th', ड: 'd', ढ: 'dh', ण: 'n', त: 't', थ: 'th', द: 'd', ध: 'dh', न: 'n' },
  ...{ प: 'p', फ: 'ph', ब: 'b', भ: 'bh', म: 'm', य: 'y', र: 'r', ल: 'l', ळ: 'l', व: 'v' },
  ...{ श: 'sh', ष: 'sh', स: 's', ह: 'h' },
}

const vowels: Readonly<Record<string, string>> = {
  ...{ अ: 'a', आ: 'a', इ: 'i', ई: 'i', उ: 'u', ऊ: 'u', ऋ: 'ri', ॠ: 'ri', ऌ: 'li', ए: 'e', ऐ: 'ai', ओ: 'o', औ: 'au' },
  ...{ ऍ: 'e', ऎ: 'e', ऑ: 'o', ऒ: 'o', ॐ: 'om' },
}

const signs: Readonly<Record<string, string>> = {
  ...{ 'ा': 'a', 'ि': 'i', 'ी': 'i', 'ु': 'u', 'ू': 'u', 'ृ': 'ri', 'ॄ': 'ri', 'े': 'e', 'ै': 'ai', 'ो': 'o', 'ौ': 'au' },
  ...{ 'ॅ': 'e', 'ॆ': 'e', 'ॉ': 'o', 'ॊ': 'o' },
}

const virama = '्'
const others: Readonly<Record<string, string>> = {
  ...{ [virama]: '', 'ँ': 'n', 'ः': '', ऽ: '' },
  ...{ '०': '0', '१': '1', '२': '2', '३': '3', '४': '4', '५': '5', '६': '6', '७': '7', '८': '8', '९': '9' },
}

function spell(word: string): string {
  const letters = [...word.replaceAll('़', '').replaceAll('ज्ञ', 'ग्य')]
  return dropSilent(letters.map((letter, i) => latinFor(letter, letters[i + 1] ?? '')).join(''))
}

/** Latin letters for a Devanagari letter. An inherent vowel becomes `A`, to distinguish it from a written one. */
function latinFor(letter: string, next: string): string {
  const consonant = consonants[letter]
  if (consonant) return next in signs || next === virama ? consonant : `${consonant}A`
  if (letter === 'ं') return 'पफबभम'.includes(next) && next ? 'm' : 'n'
  return vowels[letter] ?? signs[letter] ?? others[letter] ?? ' '
}

/**
 * Drops inherent vowels inside compounds, as signs spell them: `baghA|bhairAvA` becomes "baghbhairava". Such a vowel
 * comes after an open syllable and before at least two more syllables. It is kept before a single last syllable
 * (Janaki, Bhairavi), and in maha and bahal. `fold` drops the final vowel.
 */
function dropSilent(spelt: string): string {
  if (spelt.length > LONGEST_WORD) return spelt.toLowerCase()
  const shorter = spelt.replace(lastSilent, '$1')
  return shorter === spelt ? spelt.toLowerCase() : dropSilent(shorter)
}

const lastSilent =
  /^(.*[aeiouA](?:[kgcjtdpbs]h{0,2}|[nmyrlvh]))(?<![bm](?=Ah))A(?=(?:[kgcjtdpbs]h{0,2}|[nmyrlvh])[aeiouA]+[^aeiouA\s]+[aeiouA])/

/**
 * The most letters of a compound. Without a limit, the time for a text without spaces would grow with its length
 * squared.
 */
const LONGEST_WORD = 80
