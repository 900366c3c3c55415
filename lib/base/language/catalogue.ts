import { inDevanagari } from './languages.ts'

/** Says a text of the service in another language. What it does not know stays as it is. */
export type Say = (text: string) => string

/**
 * English sentences and words, each with the other language's. In the English, `{0}` or `{detail}` stands for what
 * differs from case to case. In the other language it is put as it was given, with numbers in that language's digits.
 * `<0>` stands for a text of the service, which is translated itself.
 */
export type Catalogue = Readonly<Record<string, string>>

/** Makes a `Say` of a catalogue. If several entries fit a text, the one with the most letters of its own counts. */
export function speakerOf(catalogue: Catalogue): Say {
  const whole = new Map<string, string>()
  const patterns: Pattern[] = []
  for (const [english, said] of Object.entries(catalogue)) {
    const pieces = english.split(hole)
    if (pieces.length === 1) whole.set(english, said)
    else patterns.push(patternOf(pieces, said))
  }
  patterns.sort((a, b) => b.weight - a.weight)
  // Within a sentence a word has no capital, and a sentence no full stop.
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

/** What a reason adds to a score: "(+12)". */
const scorePattern = /^(.*)( \(\+\d+\))$/s
const bare = (text: string) => text.toLowerCase().replace(/\.$/, '')

type Pattern = { literals: readonly string[]; names: readonly string[]; said: string; weight: number }

/** How deep texts of the service stand within each other. */
const DEEPEST = 4
const hole = /\{(\w+)\}/

function patternOf(pieces: readonly string[], said: string): Pattern {
  const literals = pieces.filter((_, at) => at % 2 === 0)
  const names = pieces.filter((_, at) => at % 2 === 1)
  return { literals, names, said, weight: literals.join('').length }
}

/**
 * What stands in the holes of a pattern; undefined if the text does not fit. Each literal is taken where it first
 * comes.
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

/** Parts with commas between, or a word with a number behind it: "temple 7". */
function sayParts(text: string, known: (part: string) => string | undefined): string {
  const parts = text.split(', ')
  if (parts.length > 1) return parts.map((part) => known(part) ?? part).join(', ')
  const [, word = '', number = ''] = /^(.+) (\d+)$/.exec(text) ?? []
  const said = known(word)
  return said === undefined ? text : `${said} ${inDevanagari(number)}`
}

/** A message behind a label or a name: "Construction date: There is no month 13: a year has 12." */
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
