import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, posix, relative } from 'node:path'
import { print, say } from './table.ts'

/** The commit before the rooms of lib became slices by aggregate. */
const BEFORE = 'cd33f32'
const project = join(import.meta.dirname, '../..')

/** How the code is arranged, counted with one script over that commit and over what is there now. */
export async function benchHouse(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'house-'))
  try {
    const now = countsOf(project, listed(['ls-files', '--cached', '--others', '--exclude-standard']))
    const isKnown = spawnSync('git', ['cat-file', '-e', `${BEFORE}^{commit}`], { cwd: project }).status === 0
    if (!isKnown) say(`This clone lacks the commit ${BEFORE}: only what is there now is counted.`)
    const before = isKnown ? countsOf(unpack(folder), listed(['ls-tree', '-r', '--name-only', BEFORE])) : undefined
    const names = Object.keys(now)
    print(
      'How the code is arranged',
      names.map((what) => ({ what, ...(before && { [BEFORE]: before[what] ?? '' }), now: now[what] ?? '' })),
    )
    say(
      'Lines include blanks and comments; those of a function are counted by Biome, without blanks. An import counts once for each `from`. ' +
        'What crossed from one aggregate to another within the room `store` crosses rooms now. A circle is a set of files, or of rooms, of which each leads to each other; imports of types count. Generated is what scripts write and git keeps.',
    )
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

/** The commit's files in a folder. Answers the folder. */
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
  const code = under('functions', 'lib', 'local')
  const sizes = under('lib')
    .map(lines)
    .sort((a, b) => a - b)
  const readmes = files.filter((file) => posix.basename(file) === 'README.md' && file !== 'README.md')
  const generated = files.filter((file) => /(^|\/)(openapi\.json|contract\.json|examples\.json(\.gz)?)$/.test(file))
  return {
    'files, lines of functions, lib and local': `${code.length}, ${figure(sum(code, lines))}`,
    'files, lines of tests': `${under('tests').length}, ${figure(sum(under('tests'), lines))}`,
    'lines of a file of lib: median, 90 %, longest': [0.5, 0.9, 1].map((part) => at(sizes, part)).join(', '),
    'largest flat folder of functions, lib and local': largest(code),
    'largest flat folder of tests': largest(under('tests')),
    ...importsIn(under('lib'), read),
    ...functionsIn(root),
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

const figure = (n: number) => n.toLocaleString('en')
const at = (sorted: readonly number[], part: number) => sorted[Math.ceil(part * sorted.length) - 1] ?? 0

/** The folder with most source files of its own. */
function largest(files: readonly string[]): string {
  const byFolder = [...Map.groupBy(files, dirname)].sort((a, b) => b[1].length - a[1].length)
  return byFolder[0] ? `${byFolder[0][0]}, ${byFolder[0][1].length}` : ''
}

/** `lib/records/write.ts` is in the room `records`; `lib/clock.ts` is a room by itself. */
const roomOf = (file: string) => file.replace(/\.ts$/, '').split('/')[1] ?? ''

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
    'circles of files, of rooms': `${circles(edges)}, ${circles(between)}`,
  }
}

/** Sets of which each member leads to each other. */
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

/** The longest function of functions, lib and local, and how many are above 50 lines. Biome counts them. */
function functionsIn(root: string): Counts {
  const config = mkdtempSync(join(tmpdir(), 'biome-'))
  const rules = { complexity: { noExcessiveLinesPerFunction: { level: 'error', options: { maxLines: 20 } } } }
  writeFileSync(join(config, 'biome.json'), JSON.stringify({ linter: { rules: { preset: 'none', ...rules } } }))
  const { stdout } = spawnSync(
    join(project, 'node_modules/.bin/biome'),
    ['lint', `--config-path=${config}`, '--reporter=github', '--max-diagnostics=none', 'functions', 'lib', 'local'],
    { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 },
  )
  rmSync(config, { recursive: true })
  const counted = [...stdout.matchAll(/file=([^,]+),.*too many lines \((\d+)\)/g)]
    .map(([, file = '', n]) => ({ file: relative(root, file), n: Number(n) }))
    .sort((a, b) => b.n - a.n)
  const longest = counted[0]
  if (!longest) throw new Error(`Biome has counted no function: ${stdout}`)
  return {
    'longest function': `${longest.n}, ${longest.file}`,
    'functions above 50 lines': counted.filter(({ n }) => n > 50).length,
  }
}
