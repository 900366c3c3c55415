import { nameOf, visit } from './aws/background.ts'
import { inTable, type Scene } from './gaps.ts'
import { throttleReply } from './replies.ts'
import { formOf, good, type Speaker, signedIn } from './speaker.ts'

/** Workers that a job may end, one after another. */
const TAKES = 3

/**
 * A table ends each worker that takes it, as one does that needs too much memory. After three workers it is given up with a sentence. Another
 * table, sent later, is read meanwhile.
 */
export async function poisonedJob(scene: Scene): Promise<void> {
  const { world, runtime, origin } = scene
  const dev = await signedIn(origin, 'dev')
  const poison = await sendTable(dev, 'Poison')
  let isTaken = false
  world.meddle = async (signer, _, body) => {
    if (signer !== 'importer' || !body.includes(poison)) return undefined
    // The take is stored. With the next call about this job the worker dies.
    if (!isTaken) {
      isTaken = /"takes":\{"N":"[1-9]/.test(body)
      return undefined
    }
    runtime.kill('importer')
    return throttleReply
  }
  let other = ''
  for (let take = 0; take <= TAKES; take += 1) {
    isTaken = false
    await visitImporter(scene)
    other ||= await sendTable(dev, 'Healthy')
    await endLeases(poison)
  }
  world.meddle = undefined
  await visitImporter(scene)
  const { body: gone } = good(await dev('GET', `/data/imports/${poison}/`))
  if (gone.state !== 'failed' || !String(gone.failed).includes('ended three times'))
    throw new Error(`the job is ${gone.state}: ${gone.failed}`)
  const { body: well } = good(await dev('GET', `/data/imports/${other}/`))
  if (well.state !== 'read') throw new Error(`the other job is ${well.state}`)
}

async function sendTable(dev: Speaker, name: string): Promise<string> {
  const file = new File([`name\n${name} shrine\n`], 'shrines.csv')
  return String(good(await dev('POST', '/data/imports/', formOf({ file }))).body.id)
}

async function visitImporter({ world }: Scene): Promise<void> {
  for (const schedule of world.stack.schedules().filter(({ target }) => nameOf(target) === 'importer'))
    await visit(world, schedule)
}

/** Lets the lease of a job end, as if two minutes had passed. */
async function endLeases(id: string): Promise<void> {
  const { putItems } = await import('../../lib/engines/table/write.ts')
  const jobs = await inTable((it) => it.type === 'import' && it.id === id && it.work !== null)
  const held_until = '2020-01-01T00:00:00.000Z'
  await putItems(jobs.map((it) => ({ ...it, work: { ...Object(it.work), held_until } })))
}
