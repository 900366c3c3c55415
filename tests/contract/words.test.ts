import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

/** What keeps the prose legible: short sentences, and names that say what they are. The words themselves stand in GLOSSARY.md. */
const root = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const files = globSync('{functions,lib,deploy,api,local}/**/*.ts', { cwd: root, exclude: ['**/node_modules/**'] })
const pages = globSync(['*.md', '{functions,lib,deploy,api,local,tests}/**/*.md'], {
  cwd: root,
  exclude: ['**/node_modules/**', '**/RESULTS.md', 'CHANGELOG.md'],
})

/** The most words of a sentence. Writers aim at 25. */
const MOST_WORDS = 28

/** Rows of a table within a comment: columns that two spaces or more keep apart. They are no sentences. */
const withoutTables = (text: string) => text.replace(/^.*\S {2,}\S.*$/gm, '')

/** The comments of a file, each as one text: a block, or lines of `//` that follow each other. */
function commentsOf(code: string): string[] {
  const blocks = [...code.matchAll(/\/\*\*?([\s\S]*?)\*\//g)].map(([, text = '']) => text.replace(/^\s*\* ?/gm, ''))
  const lines = [...code.matchAll(/(?:^[ \t]*\/\/.*\n?)+/gm)].map(([text]) => text.replace(/^[ \t]*\/\/ ?/gm, ''))
  return [...blocks, ...lines].map(withoutTables)
}

/** The paragraphs, items and cells of a page. Code and links are words like others. */
const paragraphsOf = (page: string): string[] =>
  page
    .replace(/^ *```[\s\S]*?^ *```/gm, '')
    .replace(/\]\([^)]*\)/g, ']')
    .split(/\n\s*\n|\n(?=\s*(?:[-*|]|\d+\.) ?)|\|/)

/** Sentences end with a full stop, a colon, a semicolon, a question mark or an exclamation mark, or with their paragraph. */
const sentencesOf = (text: string): string[] =>
  text
    .split(/\n\s*\n|\n\s*[-*] |\n\s*\d+\. /)
    .flatMap((paragraph) => paragraph.split(/[.:;?!]["')*]*(?=\s|$)/))
    .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
const wordsIn = (sentence: string): number => sentence.split(' ').filter((word) => /\w/.test(word)).length
const tooLong = (texts: readonly string[]): string[] =>
  texts.flatMap(sentencesOf).filter((sentence) => wordsIn(sentence) > MOST_WORDS)

describe(`no sentence has more than ${MOST_WORDS} words`, () => {
  test('the rule itself sees one', () => {
    const long = Array.from({ length: MOST_WORDS + 1 }, () => 'word').join(' ')
    expect(tooLong(commentsOf(`/** ${long}. */\n`))).toEqual([long])
    expect(tooLong(commentsOf(`// ${long.slice(0, 60)}\n// ${long.slice(60)}\n`))).toEqual([long])
    expect(tooLong(paragraphsOf(`# Head\n\n- ${long}\n`))).toEqual([`- ${long}`])
    expect(tooLong(commentsOf('/** One idea. Another idea: with an example. */'))).toEqual([])
  })

  test('in comments', () => {
    const long = files.flatMap((file) => tooLong(commentsOf(read(file))).map((sentence) => ({ file, sentence })))
    expect(long).toEqual([])
  })

  test('in pages', () => {
    const long = pages.flatMap((page) => tooLong(paragraphsOf(read(page))).map((sentence) => ({ page, sentence })))
    expect(long).toEqual([])
  })
})

/** Words that end like participles and are nouns or adverbs. */
const nouns = new Set(
  'feed seed speed need nothing reading meaning drawing opening holding building beginning bookkeeping standing listing heading setting spelling string'.split(
    ' ',
  ),
)
const irregular = new Set(
  'told asked shown said kept meant found taken placed made done given wanted named seen drawn held known sent left put met lost sold bought brought thought caught taught built spent lent bound hidden written begun gone grown thrown chosen spoken broken driven risen fallen forgotten laid paid set cut'.split(
    ' ',
  ),
)
/** `cut` and `set` are verbs, too: they take an object in the code (`cut(text, 200)`). */
const verbs = new Set(['cut', 'set', 'put'])
const isParticiple = (name: string) =>
  !verbs.has(name) && !nouns.has(name) && (irregular.has(name) || /^[a-z]{2,}(ed|ing)$/.test(name))

describe('no exported name is a participle alone', () => {
  test('the rule itself sees them', () => {
    expect(['told', 'listed', 'placing', 'loadRecord', 'claim', 'nothing', 'cut'].filter(isParticiple)).toEqual([
      'told',
      'listed',
      'placing',
    ])
  })

  test('say what it is: a verb with an object (`loadRecord`), or a noun (`claim`)', () => {
    const exported = /^export (?:async )?(?:function\*?|const|let|class|type|interface) (\w+)/gm
    const names = files.flatMap((file) =>
      [...read(file).matchAll(exported)]
        .map(([, name = '']) => ({ file, name }))
        .filter(({ name }) => isParticiple(name)),
    )
    expect(names).toEqual([])
  })
})
