import '../../domain/search-words/name-words.ts'
import type { Say } from '../../base/language/catalogue.ts'
import { once } from '../../base/once.ts'
import { cutAtWord, fold, sortWords } from '../../engines/matching/index.ts'
import type { FactTopic, Passage } from './passage.ts'

/** The most records that a reply quotes. */
const QUOTED_RECORDS = 3
/** The most sentences that are quoted of a record. */
const QUOTED_SENTENCES = 2
/** The most characters that are quoted of a record. */
const QUOTE_LENGTH = 400
/** The most facts of other topics that are quoted if a record has no prose. */
const FACTS_INSTEAD = 3

/** The reply if no record is found. */
const NOTHING_FOUND =
  'I found no published record about this. Try the name of a place, a monument, a deity, a festival or a person.'

/** A reply that only quotes: under the name of each record, the facts and sentences that fit the question best. */
export function quoteSentences(
  question: string,
  words: readonly string[],
  passages: readonly Passage[],
  say: Say,
): string {
  if (passages.length === 0) return say(NOTHING_FOUND)
  const topic = topicOf(question)
  const folded = new Set(words.flatMap((word) => fold(word).split(' ')))
  const quotes = passages
    .slice(0, QUOTED_RECORDS)
    .map((it) => `${it.title} (${say(it.label).toLowerCase()}): ${quote(it, { words: folded, topic, say })}`)
  return [say('This is what the published records say.'), ...quotes].join('\n\n')
}

/** The topic of a question. Example: a question with "when" is about time. Undefined if it has no such word. */
function topicOf(question: string): FactTopic | undefined {
  return topicPatterns.find(({ pattern }) => pattern.test(question))?.about
}

const topicPatterns: readonly { pattern: RegExp; about: FactTopic }[] = [
  { pattern: /\b(where|located|location|place|address)\b|कहाँ|कहां/i, about: 'place' },
  { pattern: /\b(when|year|date|century|old|age)\b|कहिले/i, about: 'time' },
  { pattern: /\b(who|whom|whose)\b|कसले|को\s+हो/i, about: 'person' },
]

type Question = { words: ReadonlySet<string>; topic: FactTopic | undefined; say: Say }

function quote({ text, facts }: Passage, { words, topic, say }: Question): string {
  const fittingFacts = facts.filter(({ about }) => about === topic)
  const otherFacts = facts.filter(({ about }) => about !== topic)
  const sentences = fittingSentences(text, words)
  const shownFacts = [...fittingFacts, ...(sentences.length === 0 ? otherFacts.slice(0, FACTS_INSTEAD) : [])].map(
    (it) => `${say(it.label)}: ${it.text}.`,
  )
  const parts = [...shownFacts, ...sentences]
  return parts.length > 0 ? cutAtWord(parts.join(' '), QUOTE_LENGTH) : say('the record holds no description yet.')
}

/** The sentences that share most words with the question, in their own order. If none shares a word, the first ones. */
function fittingSentences(text: string, words: ReadonlySet<string>): string[] {
  const sentences = [...segmenter().segment(text)].map((it) => it.segment.replace(/\s+/g, ' ').trim()).filter(Boolean)
  const shared = (sentence: string) =>
    new Set(
      fold(sentence)
        .split(' ')
        .filter((word) => words.has(word) && !sortWords().has(word)),
    ).size
  const ranked = sentences.map((sentence, at) => ({ sentence, at, shared: shared(sentence) }))
  return ranked
    .toSorted((a, b) => b.shared - a.shared || a.at - b.at)
    .slice(0, QUOTED_SENTENCES)
    .toSorted((a, b) => a.at - b.at)
    .map((it) => it.sentence)
}

const segmenter = once(() => new Intl.Segmenter('en', { granularity: 'sentence' }))
