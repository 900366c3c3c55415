import type { Say } from '../../base/language/catalogue.ts'
import { once } from '../../base/once.ts'
import { cutAtWord, fold, sortWords } from '../../engines/matching/index.ts'
import type { About, Passage } from './passage.ts'

/** The most records that are quoted, and of each the most sentences and letters. */
const QUOTED = 3
const SENTENCES = 2
const MOST_LETTERS = 400

/** The answer if no record is found. */
const NOTHING_FOUND =
  'I found no published record about this. Try the name of a place, a monument, a deity, a festival or a person.'

/**
 * An answer that only quotes: under the name of each record, the facts and sentences that fit the question best.
 */
export function quoteSentences(
  question: string,
  words: readonly string[],
  passages: readonly Passage[],
  say: Say,
): string {
  if (passages.length === 0) return say(NOTHING_FOUND)
  const wanted = aboutOf(question)
  const asked = new Set(words.flatMap((word) => fold(word).split(' ')))
  const quotes = passages
    .slice(0, QUOTED)
    .map((it) => `${it.title} (${say(it.label).toLowerCase()}): ${quote(it, { asked, wanted, say })}`)
  return [say('This is what the published records say.'), ...quotes].join('\n\n')
}

/** The sort of fact that a question asks for. Example: "when" asks for a time. */
function aboutOf(question: string): About | undefined {
  return asks.find(({ pattern }) => pattern.test(question))?.about
}

const asks: readonly { pattern: RegExp; about: About }[] = [
  { pattern: /\b(where|located|location|place|address)\b|कहाँ|कहां/i, about: 'place' },
  { pattern: /\b(when|year|date|century|old|age)\b|कहिले/i, about: 'time' },
  { pattern: /\b(who|whom|whose)\b|कसले|को\s+हो/i, about: 'person' },
]

type Question = { asked: ReadonlySet<string>; wanted: About | undefined; say: Say }

function quote({ text, facts }: Passage, { asked, wanted, say }: Question): string {
  const direct = facts.filter((it) => it.about === wanted)
  const rest = facts.filter((it) => it.about !== wanted)
  const quoted = sentencesOf(text, asked)
  const shown = [...direct, ...(quoted.length === 0 ? rest.slice(0, 3) : [])].map(
    (it) => `${say(it.label)}: ${it.text}.`,
  )
  const parts = [...shown, ...quoted]
  return parts.length > 0 ? cutAtWord(parts.join(' '), MOST_LETTERS) : say('the record holds no description yet.')
}

/** The sentences that share most words with the question, in their own order. If none shares a word, the first ones. */
function sentencesOf(text: string, asked: ReadonlySet<string>): string[] {
  const sentences = [...segmenter().segment(text)].map((it) => it.segment.replace(/\s+/g, ' ').trim()).filter(Boolean)
  const shared = (sentence: string) =>
    new Set(
      fold(sentence)
        .split(' ')
        .filter((word) => asked.has(word) && !sortWords().has(word)),
    ).size
  const ranked = sentences.map((sentence, at) => ({ sentence, at, shared: shared(sentence) }))
  return ranked
    .toSorted((a, b) => b.shared - a.shared || a.at - b.at)
    .slice(0, SENTENCES)
    .toSorted((a, b) => a.at - b.at)
    .map((it) => it.sentence)
}

const segmenter = once(() => new Intl.Segmenter('en', { granularity: 'sentence' }))
