/** Writes each Devanagari word of a text in plain Latin letters, as Nepali names are spelt on signs; other scripts stay as they are. */
export function romanise(text: string): string {
  return text.replace(/[\u0900-\u097f]+/g, (word) => {
    const court = /दर[बव]ार$/.exec(word)?.index
    return settled[word] ?? (court ? `${spell(word.slice(0, court))}${settled.दरबार}` : spell(word))
  })
}

/**
 * A Devanagari word with two neighbouring syllables the other way round, in each place. It is the slip that swapped
 * letters are in Latin script.
 */
export function swapSyllables(word: string): string[] {
  const all = word.split(/(?<!्)(?=[\u0904-\u0939\u0958-\u0961])/)
  return all
    .slice(1)
    .map((syllable, i) => [...all.slice(0, i), syllable, all[i], ...all.slice(i + 2)].join(''))
    .filter((swapped) => swapped !== word)
}

/** Words whose Latin spelling is a habit of its own, not a transcription. */
const settled: Readonly<Record<string, string>> = {
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
  return dropSilent(letters.map((letter, at) => sound(letter, letters[at + 1] ?? '')).join(''))
}

/** An inherent vowel comes out as `A`, so that it can be told from a written one. */
function sound(letter: string, next: string): string {
  const consonant = consonants[letter]
  if (consonant) return next in signs || next === virama ? consonant : `${consonant}A`
  if (letter === 'ं') return 'पफबभम'.includes(next) && next ? 'm' : 'n'
  return vowels[letter] ?? signs[letter] ?? others[letter] ?? ' '
}

/**
 * Drops an inherent vowel between an open syllable and a word-like rest, as signs spell compounds: `baghA|bhairAvA` is
 * "baghbhairava". The last such vowel goes first. It stays before one last syllable (Janaki, Bhairavi), and in maha and
 * bahal. The final vowel is left to `fold`.
 */
function dropSilent(spelt: string): string {
  if (spelt.length > longestWord) return spelt.toLowerCase()
  const shorter = spelt.replace(lastSilent, '$1')
  return shorter === spelt ? spelt.toLowerCase() : dropSilent(shorter)
}

const lastSilent =
  /^(.*[aeiouA](?:[kgcjtdpbs]h{0,2}|[nmyrlvh]))(?<![bm](?=Ah))A(?=(?:[kgcjtdpbs]h{0,2}|[nmyrlvh])[aeiouA]+[^aeiouA\s]+[aeiouA])/

/** No compound is longer; a text without spaces must not cost the square of its length. */
const longestWord = 80
