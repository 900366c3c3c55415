import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'

/*
 * The rules that keep the prose legible: short sentences, and names that are a noun, or a verb with its object. GLOSSARY.md has the words.
 * `npm run check` runs this file, and the tests call its functions.
 */
const root = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const files = globSync('{functions,lib,deploy,api,local}/**/*.ts', { cwd: root, exclude: ['**/node_modules/**'] })
const pages = globSync(['*.md', '{functions,lib,deploy,api,local,tests}/**/*.md'], {
  cwd: root,
  exclude: ['**/node_modules/**', '**/RESULTS.md', 'CHANGELOG.md'],
})

/** The most words of a sentence. Writers aim at 25. */
export const MOST_WORDS = 28

/** Rows of a table within a comment: columns that two spaces or more keep apart. They are no sentences. */
const withoutTables = (text: string) => text.replace(/^.*\S {2,}\S.*$/gm, '')

/** The comments of a file, each as one text: a block, or lines of `//` that follow each other. */
export function commentsOf(code: string): string[] {
  const blocks = [...code.matchAll(/\/\*\*?([\s\S]*?)\*\//g)].map(([, text = '']) => text.replace(/^\s*\* ?/gm, ''))
  const lines = [...code.matchAll(/(?:^[ \t]*\/\/.*\n?)+/gm)].map(([text]) => text.replace(/^[ \t]*\/\/ ?/gm, ''))
  return [...blocks, ...lines].map(withoutTables)
}

/** The paragraphs, items and cells of a page. Code and links are words like others. */
export const paragraphsOf = (page: string): string[] =>
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
/** The sentences of these texts that have too many words. */
export const longSentencesIn = (texts: readonly string[]): string[] =>
  texts.flatMap(sentencesOf).filter((sentence) => wordsIn(sentence) > MOST_WORDS)

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
/** Question words, and prepositions and adverbs that name nothing. */
const questions = new Set(
  'who whom whose what which where when how why around beside besides among beyond together apart such within'.split(
    ' ',
  ),
)
/** Whether a name is a participle alone. Say what it is: a verb with an object (`loadRecord`), or a noun (`claim`). */
export const isParticiple = (name: string) =>
  !verbs.has(name) && !nouns.has(name) && (irregular.has(name) || /^[a-z]{2,}(ed|ing)$/.test(name))
/** Whether a name is a question word alone, or a preposition. */
export const isQuestion = (name: string) => questions.has(name)

const exportedName = /^export (?:async )?(?:function\*?|const|let|class|type|interface) (\w+)/gm

/** The names of all functions at the top level of a module, exported or private: declared ones and arrows. */
export function topLevelFunctionsOf(code: string): string[] {
  return parseSync('module.ts', code).program.body.flatMap((statement) => {
    const exported = statement.type === 'ExportNamedDeclaration' || statement.type === 'ExportDefaultDeclaration'
    const declaration = exported ? statement.declaration : statement
    if (declaration?.type === 'FunctionDeclaration') return declaration.id?.name ?? []
    if (declaration?.type !== 'VariableDeclaration') return []
    return declaration.declarations.flatMap(({ id, init }) =>
      id.type === 'Identifier' && (init?.type === 'ArrowFunctionExpression' || init?.type === 'FunctionExpression')
        ? id.name
        : [],
    )
  })
}

/** A violation of a rule. `text` is the sentence or the name. */
export type Fault = { file: string; text: string }

/** Long sentences in comments of the code. */
export const longComments = (): Fault[] =>
  files.flatMap((file) => longSentencesIn(commentsOf(read(file))).map((text) => ({ file, text })))

/** Long sentences in pages. */
export const longParagraphs = (): Fault[] =>
  pages.flatMap((file) => longSentencesIn(paragraphsOf(read(file))).map((text) => ({ file, text })))

/** Exported names that are a participle alone. */
export const participles = (): Fault[] =>
  files.flatMap((file) =>
    [...read(file).matchAll(exportedName)]
      .map(([, text = '']) => ({ file, text }))
      .filter(({ text }) => isParticiple(text)),
  )

/** Top-level functions, exported or private, that are a participle or a question word alone. */
export const vagueFunctions = (): Fault[] =>
  files.flatMap((file) =>
    topLevelFunctionsOf(read(file))
      .filter((text) => isParticiple(text) || isQuestion(text))
      .map((text) => ({ file, text })),
  )

if (process.argv[1] === import.meta.filename) {
  const faults = [
    ...[...longComments(), ...longParagraphs()].map((it) => ({ ...it, rule: `more than ${MOST_WORDS} words` })),
    ...participles().map((it) => ({ ...it, rule: 'a participle alone' })),
    ...vagueFunctions().map((it) => ({ ...it, rule: 'a function without a verb and its object' })),
  ]
  for (const { file, rule, text } of faults) console.error(`${file}: ${rule}: ${text}`)
  if (faults.length > 0) process.exitCode = 1
}
