import { inDevanagari } from './languages.ts'

/** Translates a text of the service. A text without a translation stays as it is. */
export type Say = (text: string) => string

/**
 * English sentences and words, each with its translation. In the English, `{0}` or `{detail}` stands for a part that varies. In the
 * translation, `{0}` inserts that part as it is, with numbers in Devanagari. `<0>` inserts it translated.
 */
export type Catalogue = Readonly<Record<string, string>>

/** Makes the translator of a catalogue. If several entries fit a text, it uses the entry with the most fixed characters. */
export function speakerOf(catalogue: Catalogue): Say {
  const whole = new Map<string, string>()
  const patterns: Pattern[] = []
  for (const [english, said] of Object.entries(catalogue)) {
    const pieces = english.split(hole)
    if (pieces.length === 1) whole.set(english, said)
    else patterns.push(patternOf(pieces, said))
  }
  patterns.sort((a, b) => b.weight - a.weight)
  // Within a sentence, a word has no capital and an inserted sentence has no full stop.
  const within = new Map([...whole].map(([english, said]) => [bare(english), said.replace(/।$/, '')]))

  const say = (text: string, depth: number): string => {
    const known = whole.get(text)
    if (known !== undefined || depth === DEEPEST) return known ?? text
    for (const pattern of patterns) {
      const given = partsOf(pattern, text)
      if (given) return fillPattern(pattern, given, (part) => ours(part, depth + 1))
    }
    return text
  }
  const known = (part: string) => (part === '' ? undefined : (whole.get(part) ?? within.get(bare(part))))
  const ours = (part: string, depth: number): string => {
    const said = known(part) ?? say(part, depth)
    if (said !== part) return said
    return part.startsWith(' ') ? ` ${ours(part.slice(1), depth)}` : sayParts(part, known)
  }
  return (text) => {
    const [, plain = text, points = ''] = scorePattern.exec(text) ?? []
    const said = say(plain, 0)
    return (said === plain ? sayLabelled(plain, whole, say) : said) + inDevanagari(points)
  }
}

/** The points that a reason adds to a score: "(+12)". */
const scorePattern = /^(.*)( \(\+\d+\))$/s
const bare = (text: string) => text.toLowerCase().replace(/\.$/, '')

type Pattern = { literals: readonly string[]; names: readonly string[]; said: string; weight: number }

/** The most levels of texts within texts. */
const DEEPEST = 4
const hole = /\{(\w+)\}/

function patternOf(pieces: readonly string[], said: string): Pattern {
  const literals = pieces.filter((_, at) => at % 2 === 0)
  const names = pieces.filter((_, at) => at % 2 === 1)
  return { literals, names, said, weight: literals.join('').length }
}

/**
 * The parts of a text in the holes of a pattern. Undefined if the text does not fit. Each literal is matched at its first occurrence.
 */
function partsOf({ literals, names }: Pattern, text: string): Map<string, string> | undefined {
  const [first = '', ...rest] = literals
  const last = rest.pop() ?? ''
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return undefined
  const inner = text.slice(0, text.length - last.length)
  const parts: string[] = []
  let at = first.length
  for (const literal of rest) {
    const found = inner.indexOf(literal, at)
    if (found < 0) return undefined
    parts.push(inner.slice(at, found))
    at = found + literal.length
  }
  return new Map([...parts, inner.slice(at)].map((part, i) => [names[i] ?? '', part]))
}

function fillPattern({ said }: Pattern, given: ReadonlyMap<string, string>, ours: Say): string {
  return said.replace(/\{(\w+)\}|<(\w+)>/g, (mark, asGiven?: string, asOurs?: string) => {
    const part = given.get(asGiven ?? asOurs ?? '') ?? mark
    if (isNumber.test(part)) return inDevanagari(part)
    return asOurs === undefined ? part : ours(part)
  })
}

const isNumber = /^-?[\d.,]*\d$/

/** Translates parts with commas between them, or a word with a number after it: "temple 7". */
function sayParts(text: string, known: (part: string) => string | undefined): string {
  const parts = text.split(', ')
  if (parts.length > 1) return parts.map((part) => known(part) ?? part).join(', ')
  const [, word = '', number = ''] = /^(.+) (\d+)$/.exec(text) ?? []
  const said = known(word)
  return said === undefined ? text : `${said} ${inDevanagari(number)}`
}

/** Translates a message after a label or a name: "Construction date: There is no month 13: a year has 12." */
function sayLabelled(text: string, known: Catalogued, say: (text: string, depth: number) => string): string {
  for (let at = text.indexOf(': '); at >= 0; at = text.indexOf(': ', at + 2)) {
    const [label, rest] = [text.slice(0, at), text.slice(at + 2)]
    const said = say(rest, 0)
    const head = known.get(label)
    if (said !== rest) return `${head === undefined ? say(`${label}:`, 0) : `${head}:`} ${said}`
  }
  return text
}
type Catalogued = ReadonlyMap<string, string>
