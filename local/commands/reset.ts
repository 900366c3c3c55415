import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { FolderInUse, HOLDER, holdFolder } from '../service/folder-lock.ts'
import { loadFollowers } from '../service/followers.ts'
import { directory } from '../service/paths.ts'

/** `npm run reset`: deletes the data of the local service. Refuses while a service or another command holds the folder's lock. */

// By name, since LOCAL_DATA may name a folder that holds other files too. The file `lock` stays: this process holds it.
const ours = new Set(['s3', 'stream.json', 'dead-letters.jsonl', 'service.log', 'layout', HOLDER])
const followers = new Set(loadFollowers().map(({ name }) => name))
const isOurs = (name: string) => ours.has(name) || followers.has(name) || name.startsWith('dynamodb.sqlite')

try {
  const names = await readdir(directory).catch(() => undefined)
  const release = names && holdFolder(directory, { command: 'npm run reset' })
  for (const name of names?.filter(isOurs) ?? []) await rm(join(directory, name), { recursive: true, force: true })
  await rm(join(directory, HOLDER), { force: true })
  release?.()
  console.log(`Emptied ${directory}. The next start begins with the demonstration set.`)
} catch (error) {
  if (!(error instanceof FolderInUse)) throw error
  console.error(error.message)
  process.exitCode = 1
}
