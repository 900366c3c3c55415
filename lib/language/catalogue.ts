import { inDevanagari } from './digits.ts'

/** Says a text of ours in another language. What it does not know stays as it is. */
export type Say = (text: string) => string

/**
 * English sentences and words, each with the other language's. In the English `{0}` or `{detail}` stands for what differs
 * from case to case. In the other it is put as it was given, numbers in the digits of that language; in angle brackets, as
 * `<0>`, it is a text of ours itself.
 */
export type Catalogue = Readonly<Record<string, string>>

type Pattern = { literals: readonly string[]; names: readonly string[]; said: string; weight: number }

/** What says texts by a catalogue. A text that several patterns fit is taken for the one with the most words of its own. */
export function speakerOf(catalogue: Catalogue): Say {
  const whole = new Map<string, string>()
  const patterns: Pattern[] = []
  for (const [english, said] of Object.entries(catalogue)) {
    const pieces = english.split(hole)
    if (pieces.length === 1) whole.set(english, said)
    else patterns.push(patternOf(pieces, said))
  }
  patterns.sort((a, b) => b.weight - a.weight)
  // Where words stand within a sentence, they may have lost their capital.
  const lower = new Map([...whole].map(([english, said]) => [english.toLowerCase(), said]))

  const say = (text: string, depth = 0): string => {
    const known = whole.get(text)
    if (known !== undefined || depth === DEEPEST) return known ?? text
    for (const pattern of patterns) {
      const given = partsOf(pattern, text)
      if (given) return filled(pattern, given, (part) => lower.get(part.toLowerCase()) ?? say(part, depth + 1))
    }
    return text
  }
  return (text) => say(text)
}

/** Texts of ours in texts of ours: no message has more. */
const DEEPEST = 4
const hole = /\{(\w+)\}/

function patternOf(pieces: readonly string[], said: string): Pattern {
  const literals = pieces.filter((_, at) => at % 2 === 0)
  const names = pieces.filter((_, at) => at % 2 === 1)
  return { literals, names, said, weight: literals.join('').length }
}

/** What stands in the holes of a pattern; undefined where it does not fit. Each literal is taken where it comes first. */
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

function filled({ said }: Pattern, given: ReadonlyMap<string, string>, say: Say): string {
  return said.replace(/\{(\w+)\}|<(\w+)>/g, (mark, asGiven?: string, asOurs?: string) => {
    const part = given.get(asGiven ?? asOurs ?? '') ?? mark
    if (/^-?[\d.,]*\d$/.test(part)) return inDevanagari(part)
    return asOurs === undefined ? part : say(part)
  })
}
