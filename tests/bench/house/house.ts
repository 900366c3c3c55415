import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, posix } from 'node:path'
import { print, say } from '../tools/table.ts'
import { wordsOfGlossary } from './glossary.ts'
import { printReadings } from './readings.ts'

/** The commit before lib had wings. */
const BEFORE = '540dbe1'
const project = join(import.meta.dirname, '../../..')

/** Counts how the code is arranged, with one script over that commit and over the present files. */
export async function benchHouse(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'house-'))
  try {
    const now = countsOf(project, listed(['ls-files', '--cached', '--others', '--exclude-standard']))
    const isKnown = spawnSync('git', ['cat-file', '-e', `${BEFORE}^{commit}`], { cwd: project }).status === 0
    if (!isKnown) say(`This clone lacks the commit ${BEFORE}: only the present files are counted.`)
    const before = isKnown ? countsOf(unpack(folder), listed(['ls-tree', '-r', '--name-only', BEFORE])) : undefined
    const names = Object.keys(now)
    print(
      'How the code is arranged',
      names.map((what) => ({ what, ...(before && { [BEFORE]: before[what] ?? '' }), now: now[what] ?? '' })),
    )
    say(
      'Lines include blanks and comments. An import counts once for each `from`, and imports of types count. A circle is a set of files, or of rooms, that import ' +
        'each other. Floors are the longest chain of rooms: each imports the next. A name with several meanings is exported by more than one file. ' +
        'Scripts write the generated files, and git keeps them.',
    )
    printReadings()
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const git = (...words: string[]) => execFileSync('git', words, { cwd: project, maxBuffer: 2 ** 28 })
const listed = (words: string[]) =>
  git(...words)
    .toString()
    .split('\n')
    .filter(Boolean)

/** Writes the commit's files into a folder, and returns the folder. */
function unpack(folder: string): string {
  execFileSync('tar', ['-x', '-C', folder], { input: git('archive', BEFORE) })
  return folder
}

type Counts = Readonly<Record<string, string | number>>

function countsOf(root: string, tracked: readonly string[]): Counts {
  const files = tracked.filter((file) => existsSync(join(root, file)))
  const read = (file: string) => readFileSync(join(root, file), 'utf8')
  const lines = (file: string) => read(file).split('\n').length - 1
  const sum = (of: readonly string[], count: (file: string) => number) => of.reduce((n, file) => n + count(file), 0)
  const under = (...folders: string[]) =>
    files.filter((file) => /\.(ts|cjs)$/.test(file) && folders.some((it) => file.startsWith(`${it}/`)))
  const code = under('functions', 'lib', 'deploy', 'api', 'local')
  const sizes = under('lib')
    .map(lines)
    .sort((a, b) => a - b)
  const readmes = files.filter((file) => posix.basename(file) === 'README.md' && file !== 'README.md')
  const generated = files.filter((file) => /(^|\/)(openapi\.json|contract\.json|examples\.json(\.gz)?)$/.test(file))
  return {
    'files, lines of code (functions, lib, deploy, api, local)': `${code.length}, ${figure(sum(code, lines))}`,
    'files, lines of tests': `${under('tests').length}, ${figure(sum(under('tests'), lines))}`,
    'lines of a file of lib: median, 90 %, longest': [0.5, 0.9, 1].map((part) => at(sizes, part)).join(', '),
    'largest flat folder of code': largest(code),
    'largest flat folder of tests': largest(under('tests')),
    ...importsIn(under('lib'), read),
    'siblings directly in lib': new Set(under('lib').map((file) => file.split('/')[1])).size,
    'ambient stores (AsyncLocalStorage)': sum(
      under('functions', 'lib'),
      (file) => read(file).split('new AsyncLocalStorage').length - 1,
    ),
    'exported names, those with several meanings': namesIn(under('functions', 'lib'), read),
    'words in GLOSSARY.md, those with one meaning': glossary(files.includes('GLOSSARY.md') ? read('GLOSSARY.md') : ''),
    'lines of README.md': figure(lines('README.md')),
    'READMEs of folders, their lines, the longest': `${readmes.length}, ${figure(sum(readmes, lines))}, ${Math.max(0, ...readmes.map(lines))}`,
    'generated lines in git': figure(
      sum(
        generated.filter((file) => !file.endsWith('.gz')),
        lines,
      ),
    ),
    'generated KB in git': figure(Math.round(sum(generated, (file) => statSync(join(root, file)).size) / 1000)),
  }
}

function glossary(page: string): string {
  const { words, withOneMeaning } = wordsOfGlossary(page)
  return `${words}, ${withOneMeaning}`
}

const figure = (n: number) => n.toLocaleString('en')
const at = (sorted: readonly number[], part: number) => sorted[Math.ceil(part * sorted.length) - 1] ?? 0

/** The folder with the most source files directly in it, and their number. */
function largest(files: readonly string[]): string {
  const byFolder = [...Map.groupBy(files, dirname)].sort((a, b) => b[1].length - a[1].length)
  return byFolder[0] ? `${byFolder[0][0]}, ${byFolder[0][1].length}` : ''
}

/**
 * `lib/domain/records/write.ts` is in the room `domain/records`, and `lib/base/clock.ts` is a room by itself. In the commit without wings,
 * each file or folder directly in lib is a room.
 */
const roomOf = (file: string) => {
  const parts = file.replace(/\.ts$/, '').split('/')
  return parts.slice(1, wings.includes(parts[1] ?? '') ? 3 : 2).join('/')
}
const wings: readonly string[] = ['base', 'engines', 'platform', 'domain', 'doors']

/** The number of exported names, and of those that more than one file exports. */
function namesIn(files: readonly string[], read: (file: string) => string): string {
  const exported = /^export (?:async )?(?:function\*?|const|class|type) (\w+)/gm
  const all = files.flatMap((file) => [...new Set([...read(file).matchAll(exported)].map(([, name = '']) => name))])
  const several = [...Map.groupBy(all, (name) => name)].filter(([, places]) => places.length > 1)
  return `${figure(new Set(all).size)}, ${several.length}`
}

/** The length of the longest chain of rooms in which each imports the next. A circle counts once. */
function floors(edges: readonly { from: string; to: string }[]): number {
  const next = Map.groupBy(edges, ({ from }) => from)
  const deep = new Map<string, number>()
  const visit = (room: string): number => {
    const known = deep.get(room)
    if (known !== undefined) return known
    deep.set(room, 1)
    const below = (next.get(room) ?? []).map(({ to }) => visit(to))
    deep.set(room, 1 + Math.max(0, ...below))
    return deep.get(room) ?? 1
  }
  return Math.max(0, ...[...next.keys()].map(visit))
}

function importsIn(files: readonly string[], read: (file: string) => string): Counts {
  const edges = files.flatMap((from) =>
    [...read(from).matchAll(/^(?:import|export)\b[^'"]*?from '(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm)]
      .map((match) => posix.join(dirname(from), match[1] ?? match[2] ?? ''))
      .filter((to) => to.startsWith('lib/'))
      .map((to) => ({ from, to })),
  )
  const rooms = edges.map(({ from, to }) => ({ from: roomOf(from), to: roomOf(to) }))
  const between = rooms.filter(({ from, to }) => from !== to)
  return {
    'rooms of lib': new Set(files.map(roomOf)).size,
    'imports between rooms, within rooms': `${figure(between.length)}, ${figure(edges.length - between.length)}`,
    'pairs of rooms that import': new Set(between.map(({ from, to }) => `${from} ${to}`)).size,
    'floors of rooms': floors(between),
    'circles of files, of rooms': `${circles(edges)}, ${circles(between)}`,
  }
}

/** The number of sets whose members all lead to each other. */
function circles(edges: readonly { from: string; to: string }[]): number {
  const next = Map.groupBy(edges, ({ from }) => from)
  const reached = new Map<string, Set<string>>()
  for (const start of next.keys()) {
    const seen = new Set<string>()
    const open = [start]
    for (const one of open)
      for (const { to } of next.get(one) ?? []) {
        if (!seen.has(to)) open.push(to)
        seen.add(to)
      }
    reached.set(start, seen)
  }
  const members = [...reached].filter(([one, seen]) => seen.has(one))
  const sets = members.map(([one, seen]) =>
    [...seen]
      .filter((other) => reached.get(other)?.has(one))
      .sort()
      .join(' '),
  )
  return new Set(sets).size
}
