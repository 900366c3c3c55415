import { exportTo } from './backup/backup.ts'
import { warnIfBehind } from './backup/behind.ts'
import { run } from './backup/run.ts'

await run(
  `npm run export -- DIR [--objects] [--bag] [--table NAME --bucket NAME]

Writes the whole table, and the index of the bucket with hashes, as JSON Lines into an empty folder. --objects takes the
files along. --bag makes the folder a bag (RFC 8493) with RO-Crate metadata: sha256sum checks it, and restore
takes it. Without names it is the local service, which must be running.`,
  async ({ folder, place, objects, bag }) => {
    await warnIfBehind(place)
    return exportTo(folder, place, { objects, bag })
  },
)
