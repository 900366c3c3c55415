import { restoreFrom } from './backup/backup.ts'
import { run } from './backup/run.ts'
import { ensureEmptyStart } from './backup/running.ts'

await run(
  `npm run restore -- DIR [--over] [--table NAME --bucket NAME]

Checks every file that npm run export wrote, then builds an empty table and bucket from them. --over writes into what is
not empty, such as a restore that was broken off. Without names it is the local service, started by
npm start -- --empty.`,
  ({ folder, place, over, isLocal }) => {
    if (isLocal && !over) ensureEmptyStart()
    return restoreFrom(folder, place, { over })
  },
)
