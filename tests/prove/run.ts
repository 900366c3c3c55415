import { parseArgs } from 'node:util'
import './prepare.ts'

const usage = `npm run prove [-- --seed N] [--minutes M] [--only faults|races|random|fuzz|cells] [--short] [--mutants] [--at CASE]

Tries what the service promises under a simulated world; see tests/prove/README.md. The same seed does the same.
--short: two minutes at most, for each change. --mutants: takes twenty conditions out of the sources and tells which were noticed.`

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '10' },
    only: { type: 'string' },
    at: { type: 'string' },
    short: { type: 'boolean', default: false },
    mutants: { type: 'boolean', default: false },
    cut: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(usage)
  process.exit(0)
}
// The configuration is read when a module is loaded, so what is tried is loaded after what it stands on.
const { prove } = await import('./prove.ts')
const code = await prove({
  ...values,
  seed: Number(values.seed),
  minutes: values.short ? 1.6 : Number(values.minutes),
})
process.exit(code)
