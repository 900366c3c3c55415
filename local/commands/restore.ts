import { restoreFrom } from './backup/backup.ts'
import { run } from './backup/run.ts'

await run(
  `npm run restore -- DIR [--over] [--table NAME --bucket NAME]

Builds what npm run export wrote in an empty table and bucket, after a look at every file. --over writes into what is not
empty, such as a restore that was broken off. Without names it is the local service, which must be running.`,
  ({ folder, place, over }) => restoreFrom(folder, place, { over }),
)
