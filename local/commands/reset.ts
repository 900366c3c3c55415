import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { loadFollowers } from '../service/followers.ts'
import { directory, pidFile } from '../service/paths.ts'

const pid = Number(await readFile(pidFile, 'utf8').catch(() => '0'))
if (pid > 0 && isAlive(pid)) {
  console.error(`The service is running (process ${pid}). Stop it first: what it holds open cannot be removed.`)
  process.exit(1)
}
// By name, since LOCAL_DATA may point at a directory that holds other things as well.
const ours = /^(dynamodb\.sqlite.*|s3|stream\.json|dead-letters\.jsonl|service\.log|pid|layout)$/
const followers = loadFollowers().map(({ name }) => name)
for (const name of await readdir(directory).catch(() => [])) {
  if (ours.test(name) || followers.includes(name)) await rm(join(directory, name), { recursive: true, force: true })
}
console.log(`Emptied ${directory}. The next start begins with the demonstration set.`)

function isAlive(id: number): boolean {
  try {
    return process.kill(id, 0)
  } catch {
    return false
  }
}
