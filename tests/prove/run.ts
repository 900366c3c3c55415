import { fork } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import './prepare.ts'
import type { Asked, Proved } from './prove.ts'

const usage = `npm run prove [-- --seed N] [--minutes M] [--only faults|background|races|random|fuzz|cells] [--short] [--mutants] [--at CASE]

Tries what the service promises under a simulated world; see tests/prove/README.md. The same seed does the same.
--each N: so many schedules of each kind of race at most. --requests N: so many wild requests at most.
--some SHARE: so much of the faults and of the cells.
--workers N: so many processes share the cases; as many as there are processors where nothing is said.
--short: a minute, for each change. --mutants: takes conditions and waits out of the sources, one at a time, and tells
which were noticed. --cuts N: does so with N conditions and waits that are found in the sources, or with all; --at names those that
are meant, by file, by file and line (lib/engines/table/item.ts:88), or by their sort (condition, wait, return). --checks: takes away one
check of who may after the other, and tells which of them a test misses; --at names some by what stands in their line.`

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '10' },
    only: { type: 'string' },
    at: { type: 'string' },
    each: { type: 'string', default: 'Infinity' },
    requests: { type: 'string', default: 'Infinity' },
    some: { type: 'string', default: '1' },
    workers: { type: 'string', default: String(availableParallelism()) },
    short: { type: 'boolean', default: false },
    mutants: { type: 'boolean', default: false },
    cuts: { type: 'string' },
    cut: { type: 'string' },
    checks: { type: 'boolean', default: false },
    // Which cases this process has, of those of several: 0/2.
    share: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(usage)
  process.exit(0)
}
/** What the short form tries: the same each time. Alone on a machine of two processors it takes half a minute. */
const SHORT = { minutes: 20, each: 2, requests: 4000, some: 0.004 }
const asked: Asked = {
  ...values,
  seed: Number(values.seed),
  minutes: values.short ? SHORT.minutes : Number(values.minutes),
  each: values.short ? SHORT.each : Number(values.each),
  requests: values.short ? SHORT.requests : Number(values.requests),
  some: values.short ? SHORT.some : Number(values.some),
}
// What one failure names is one case.
const workers = !values.at?.includes('/') ? Math.max(1, Number(values.workers)) : 1

if (values.cuts) {
  const { tryCuts } = await import('./cuts/try.ts')
  const many = values.cuts === 'all' ? Number.POSITIVE_INFINITY : Number(values.cuts)
  const missed = await tryCuts({ many, seed: asked.seed, workers: Number(values.workers), at: values.at })
  process.exit(missed > 0 ? 1 : 0)
}
if (values.mutants) {
  const { tryMutants } = await import('./cuts/mutants.ts')
  process.exit((await tryMutants(asked.seed, workers, shareOf(values.share ?? '0/1'), values.at)) > 0 ? 1 : 0)
}
if (values.checks) {
  const { tryChecks } = await import('./checks/try.ts')
  process.exit((await tryChecks({ at: values.at, workers })) > 0 ? 1 : 0)
}
if (values.share) {
  // Whoever asked has gone.
  process.on('disconnect', () => process.exit(1))
  // The configuration is read when a module is loaded, so what is tried is loaded after what it stands on.
  const { prove } = await import('./prove.ts')
  const proved = await prove(asked, shareOf(values.share))
  if (!process.send) process.exit(proved.tallies.some((it) => it.violations.length > 0) ? 1 : 0)
  process.send(proved, () => process.exit(0))
} else {
  const began = Date.now()
  const all = await Promise.all(Array.from({ length: workers }, (_, at) => inProcess(`${at}/${workers}`)))
  const { line, together, words } = await import('./report.ts')
  const tallies = (all[0]?.tallies ?? []).map(({ part }) =>
    together(all.flatMap((each) => each.tallies.filter((it) => it.part === part))),
  )
  for (const it of tallies) console.log(line(it))
  const violations = tallies.flatMap((it) => it.violations)
  if (violations.length > 0) {
    const file = `.build/prove/violations-${asked.only ?? 'all'}-${asked.seed}.txt`
    await mkdir('.build/prove', { recursive: true })
    await writeFile(file, violations.map((it) => `${words(it)}\n`).join(''))
    console.log(`all ${violations.length} violations are in ${file}`)
  }
  const sum = (of: (each: Proved) => number) => all.reduce((n, each) => n + of(each), 0)
  console.log(
    `${sum(({ requests }) => requests)} requests, ${sum(({ calls }) => calls)} calls of table, bucket and functions, ${Math.round((Date.now() - began) / 1000)} s, seed ${asked.seed}, ${workers} processes`,
  )
  process.exit(tallies.some((it) => it.violations.length > 0) ? 1 : 0)
}

function shareOf(text: string): { at: number; of: number } {
  const [at = 0, of = 1] = text.split('/').map(Number)
  return { at, of }
}

/** Tries one share of the cases in a process of its own. */
function inProcess(share: string): Promise<Proved> {
  const child = fork(fileURLToPath(import.meta.url), [...process.argv.slice(2), '--share', share])
  return new Promise((done, failed) => {
    child.on('message', (it) => done(it as Proved))
    child.on('exit', (code) => failed(new Error(`the process with ${share} of the cases ended with ${code}`)))
  })
}
