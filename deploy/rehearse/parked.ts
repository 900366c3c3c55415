import { setTimeout as sleep } from 'node:timers/promises'
import { expectSaid, runCommand } from './commands.ts'
import { inTable, newProject, type Scene } from './gaps.ts'
import { invalidReply } from './replies.ts'
import { ask, good, signedIn } from './speaker.ts'

/**
 * The projector parks two changes that it cannot apply, and goes on with the others. Health tells of them. One is applied by
 * `replay --parked` when its cause is mended. The other is not worth mending: it is discarded by its id. Then health is well again.
 */
export async function parkedToTheEnd(scene: Scene): Promise<void> {
  const dev = await signedIn(scene.origin, 'dev')
  const [one, other] = [await parkProject(scene), await parkProject(scene)]
  // The projector goes on with what comes later.
  good(await dev('POST', '/cidoc/structures/', { name: 'Shrine behind what was parked' }))
  await isHealthy(scene.origin, false)
  expectSaid(await runCommand(scene, 'replay', '--parked', '--discard', '--only', other), 'Discarded 1 changes.')
  await isHealthy(scene.origin, false)
  expectSaid(await runCommand(scene, 'replay', '--parked', '--only', one), 'Applied 1 changes.')
  await isHealthy(scene.origin, true)
  expectSaid(await runCommand(scene, 'replay', '--parked'), 'Applied 0 changes.')
}

/** Makes a project that the projector cannot follow. Returns the id of the parked change. */
async function parkProject({ world, origin }: Scene): Promise<string> {
  const known = new Set((await parkedIds()).values())
  const dev = await signedIn(origin, 'dev')
  const at = await newProject(dev)
  const id = String(good(await dev('GET', at)).body.id)
  await waitForWords(id)
  // The projector writes the words by which a project is found: those of its new title are refused.
  world.meddle = async (signer, _, body) =>
    signer === 'projector' && body.includes('WORD#project') && body.includes(id) ? invalidReply : undefined
  good(await dev('PATCH', at, { title: 'It cannot be followed' }))
  try {
    for (let turn = 0; turn < 60; turn += 1) {
      const [found] = (await parkedIds()).filter((it) => !known.has(it))
      if (found) return found
      await sleep(250)
    }
  } finally {
    world.meddle = undefined
  }
  throw new Error('nothing was parked')
}

/** Waits until the projector has followed a new project. */
async function waitForWords(id: string): Promise<void> {
  for (let turn = 0; turn < 60; turn += 1) {
    if ((await inTable((it) => it.pk === 'WORD#project' && String(it.sk).endsWith(id))).length > 0) return
    await sleep(250)
  }
  throw new Error('nobody has followed a new project')
}

const parkedIds = async () => (await inTable((it) => it.type === 'parked_change')).map((it) => String(it.id))

/** Waits until the detailed health says that the stream is followed well, or that it is not. */
async function isHealthy(origin: string, isWanted: boolean): Promise<void> {
  let told = ''
  for (let turn = 0; turn < 60; turn += 1) {
    const { body } = await ask(origin, 'GET', '/health/detailed/')
    told = JSON.stringify(body.stream)
    if (Object(body.stream).healthy === isWanted) return
    await sleep(250)
  }
  throw new Error(`health tells of the stream: ${told}`)
}
